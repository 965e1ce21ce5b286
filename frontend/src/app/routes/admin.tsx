import { Page } from '@/components/ui/page'
import { Admin } from '@/features/admin/components/admin'
import { useTranslation } from '@/i18n/use-translation'

export function Component() {
  const { t } = useTranslation()
  return (
    <Page title={t('adTitle')} noindex>
      <Admin />
    </Page>
  )
}
