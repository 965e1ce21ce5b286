import { Page } from '@/components/ui/page'
import { SpaceList } from '@/features/coworking/components/space-list'
import { breadcrumbs, useSeo } from '@/lib/seo'
import { usePageParams } from '@/lib/page-params'
import { useTranslation } from '@/i18n/use-translation'

export function Component() {
  const { t } = useTranslation()
  const [params] = usePageParams()
  useSeo({
    title: t('cwTitle'),
    description: t('cwLead'),
    path: '/coworking',
    data: [
      breadcrumbs([
        [t('home'), '/'],
        [t('coworking'), '/coworking'],
      ]),
    ],
  })
  const filtered = [...params.keys()].some((name) => name !== 'lang')
  return (
    <Page title={t('cwTitle')} lead={t('cwLead')} noindex={filtered}>
      <SpaceList />
    </Page>
  )
}
