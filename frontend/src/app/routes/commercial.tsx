import { Page } from '@/components/ui/page'
import { PropertyList } from '@/features/listings/components/property-list'
import { breadcrumbs, useSeo } from '@/lib/seo'
import { useTranslation } from 'react-i18next'
import { useLocation, useSearchParams } from 'react-router-dom'

/** Both `/commercial` and `/search`; the latter is for people, not for search engines. */
export function Component() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const [params] = useSearchParams()
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
    <Page title={t('liTitle')} lead={t('liLead')} noindex={search || filtered}>
      <PropertyList path={search ? '/search' : '/commercial'} />
    </Page>
  )
}
