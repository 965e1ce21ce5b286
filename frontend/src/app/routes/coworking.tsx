import { Page } from '@/components/ui/page'
import { SpaceList } from '@/features/coworking/components/space-list'
import { breadcrumbs, useSeo } from '@/lib/seo'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router-dom'

export function Component() {
  const { t } = useTranslation()
  const [params] = useSearchParams()
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
