import { buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { CATEGORIES, categoryPath } from '@/features/listings/categories'
import { HomeSearch } from '@/features/listings/components/home-search'
import type { Enums } from '@/types/database'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

/** The home page as it was: a search and the ways in. */
export function Component() {
  const { t } = useTranslation()
  return (
    <Page title={t('hmTitle')} lead={t('hmLead')} noindex narrow>
      <HomeSearch />
      <h2 className="mt-10 text-xl font-semibold">{t('hmCategories')}</h2>
      <ul className="mt-3 grid gap-2 sm:grid-cols-2">
        {(Object.keys(CATEGORIES) as Array<Enums<'property_type'>>).map((type) => (
          <li key={type}>
            <Link
              to={categoryPath(type)}
              className={buttonVariants({ variant: 'outline', className: 'w-full' })}
            >
              {t(CATEGORIES[type].title)}
            </Link>
          </li>
        ))}
        <li>
          <Link to="/coworking" className={buttonVariants({ variant: 'outline', className: 'w-full' })}>
            {t('coworking')}
          </Link>
        </li>
      </ul>
      <p className="mt-10 flex items-center gap-4">
        <img src="/free-listing.svg" alt={t('hmBadge')} width="72" height="72" />
        {t('hmOwnText')}
      </p>
      <Link to="/" className={buttonVariants({ variant: 'link', className: 'mt-4 px-0!' })}>
        {t('siNewHome')}
      </Link>
    </Page>
  )
}
