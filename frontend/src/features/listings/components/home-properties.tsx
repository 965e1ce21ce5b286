import { buttonVariants } from '@/components/ui/button'
import { CardSkeletons } from '@/components/ui/card-skeletons'
import { Failure } from '@/components/ui/failure'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import type { Enums } from '@/types/database'
import { useQuery } from '@tanstack/react-query'
import { Building, Building2, Factory, Store, Warehouse } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { facetsOptions } from '../api/get-facets'
import { featuredOptions } from '../api/search'
import { CATEGORIES, categoryPath } from '../categories'
import { PropertyCard } from './property-card'

const ICONS: Readonly<Record<Enums<'property_type'>, typeof Building>> = {
  office: Building2,
  retail: Store,
  warehouse: Warehouse,
  industrial: Factory,
  mixed_use: Building,
}
const ORDER = ['office', 'retail', 'warehouse', 'industrial', 'mixed_use'] as const
const CITIES = 8
const tile =
  'flex h-full items-center gap-2 sm:gap-3 rounded-2xl border border-slate-200 bg-white p-3 sm:p-4 shadow-sm hover:border-brand hover:shadow-md dark:border-slate-800 dark:bg-slate-900'

/** What the home page has of commercial property: its types, its cities and those that were paid for. */
export function HomeProperties() {
  const { t } = useTranslation()
  const facets = useQuery(facetsOptions(''))
  const paid = useQuery(featuredOptions)
  const { data: counts } = facets
  const { data: featured = [] } = paid
  const failed = [paid, facets].filter(({ error, data }) => error && !data)
  const count = (facet: string, value: string) =>
    counts ? t('hmCount', { count: counts[facet]?.[value] ?? 0 }) : '\u00a0'
  // As they come: those with the most first.
  const cities = Object.keys(counts?.city ?? {}).slice(0, CITIES)
  return (
    <>
      <section>
        <h2 className="text-2xl font-bold">{t('hmCategories')}</h2>
        <ul className="mt-6 grid gap-3 min-[360px]:grid-cols-2 sm:gap-4 lg:grid-cols-5">
          {ORDER.map((type) => {
            const Icon = ICONS[type]
            return (
              <li key={type} className="min-w-0 max-sm:last:col-span-full">
                <Link to={categoryPath(type)} className={tile}>
                  <Icon aria-hidden className="size-6 shrink-0 text-brand dark:text-blue-300" />
                  <span className="min-w-0 wrap-anywhere">
                    <span className="block font-semibold">{t(CATEGORIES[type].title)}</span>
                    <span className="text-sm text-slate-700 dark:text-slate-300">{count('type', type)}</span>
                  </span>
                </Link>
              </li>
            )
          })}
        </ul>
      </section>
      {paid.isPending && (
        <Skeleton className="min-h-[100rem] sm:min-h-[35rem]">
          <Bar className="h-8 w-64" />
          <CardSkeletons count={3} />
        </Skeleton>
      )}
      {featured.length > 0 && (
        <section>
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h2 className="text-2xl font-bold">{t('hmFeaturedProperties')}</h2>
            <Link to="/commercial" className={buttonVariants({ variant: 'link', className: 'px-0!' })}>
              {t('hmAllProperties')}
            </Link>
          </div>
          <div className="mt-6 grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
            {featured.map((property) => (
              <PropertyCard key={property.id} property={property} level="h3" />
            ))}
          </div>
        </section>
      )}
      {facets.isPending && (
        <Skeleton className="min-h-[24rem] lg:min-h-[13rem]">
          <Bar className="h-8 w-48" />
          <div className="mt-6 grid gap-4 min-[360px]:grid-cols-2 max-sm:gap-3 lg:grid-cols-4">
            {Array.from({ length: CITIES }, (_, index) => (
              <Bar key={index} className="h-18 rounded-2xl" />
            ))}
          </div>
        </Skeleton>
      )}
      {failed.length > 0 && (
        <section>
          <Failure
            error={failed[0]?.error}
            busy={failed.some(({ isFetching }) => isFetching)}
            onRetry={() => failed.forEach(({ refetch }) => void refetch())}
          />
        </section>
      )}
      {cities.length > 0 && (
        <section>
          <h2 className="text-2xl font-bold">{t('hmCities')}</h2>
          <ul className="mt-6 grid gap-4 min-[360px]:grid-cols-2 max-sm:gap-3 lg:grid-cols-4">
            {cities.map((city) => (
              <li key={city} className="min-w-0">
                <Link to={`/commercial?city=${encodeURIComponent(city)}`} className={tile}>
                  <span className="min-w-0 wrap-anywhere">
                    <span className="block font-semibold">{city}</span>
                    <span className="text-sm text-slate-700 dark:text-slate-300">{count('city', city)}</span>
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
