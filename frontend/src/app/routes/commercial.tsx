import { Page } from '@/components/ui/page'
import { PropertyList } from '@/features/listings/components/property-list'
import { breadcrumbs, useSeo } from '@/lib/seo'
import { usePageParams } from '@/lib/page-params'
import { useTranslation } from '@/i18n/use-translation'
import { useLocation } from 'react-router-dom'

/** Both `/commercial` and `/search`; to search engines they are one page, the former. */
export function Component() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const [params] = usePageParams()
  const search = pathname.startsWith('/search')
  const filtered = [...params.keys()].some((name) => name !== 'lang')
  useSeo({
    title: t('liTitle'),
    description: t('liLead'),
    path: '/commercial',
    data: [
      breadcrumbs([
        [t('home'), '/'],
        [t('commercial'), '/commercial'],
      ]),
    ],
  })
  return (
    <Page title={t('liTitle')} lead={t('liLead')} noindex={filtered}>
      <PropertyList path={search ? '/search' : '/commercial'} />
    </Page>
  )
}
