import { Page } from '@/components/ui/page'
import { SpaceList } from '@/features/coworking/components/space-list'
import { useTranslation } from 'react-i18next'

export function Component() {
  const { t } = useTranslation()
  return (
    <Page title={t('cwTitle')} lead={t('cwLead')}>
      <SpaceList />
    </Page>
  )
}
