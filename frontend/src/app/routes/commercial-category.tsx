import { Breadcrumb } from '@/components/ui/breadcrumb'
import { CardSkeletons } from '@/components/ui/card-skeletons'
import { Failure } from '@/components/ui/failure'
import { Page, usePageMeta } from '@/components/ui/page'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import { facetsOptions } from '@/features/listings/api/get-facets'
import { CATEGORIES, categoryPath, citySlug, parseCategory } from '@/features/listings/categories'
import { PropertyList } from '@/features/listings/components/property-list'
import { breadcrumbs, useSeo } from '@/lib/seo'
import type { Enums } from '@/types/database'
import { usePageParams } from '@/lib/page-params'
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useParams } from 'react-router-dom'

const PropertyPage = lazy(() => import('./property').then((module) => ({ default: module.Component })))

function Category({
  type,
  city,
  cities,
}: {
  type: Enums<'property_type'>
  city: string
  cities: readonly string[]
}) {
  const { t } = useTranslation()
  const [params] = usePageParams()
  const { title: all, inCity } = CATEGORIES[type]
  const title = city ? t(inCity, { city }) : t(all)
  const lead = t('caLead', { title })
  const path = categoryPath(type, city)
  const steps = [
    [t('home'), '/'],
    [t('commercial'), '/commercial'],
    ...(city ? [[t(all), categoryPath(type)] as const] : []),
    [title, path],
  ] as const
  const filtered = [...params.keys()].some((name) => name !== 'lang')
  usePageMeta(title, filtered)
  useSeo({ title, description: lead, path, data: [breadcrumbs(steps)] })
  return (
    <div className="mx-auto max-w-7xl px-4 pt-24 pb-16 sm:px-6">
      <Breadcrumb steps={steps} />
      <h1
        tabIndex={-1}
        className="mt-4 text-3xl font-bold tracking-tight text-balance wrap-anywhere sm:text-4xl"
      >
        {title}
      </h1>
      <p className="mt-3 mb-8 max-w-2xl text-lg text-slate-700 dark:text-slate-300">{lead}</p>
      <PropertyList path={path} fixed={{ type: [type], ...(city && { city }) }} />
      {cities.length > 1 && (
        <nav aria-labelledby="other-cities" className="mt-14">
          <h2 id="other-cities" className="text-xl font-semibold">
            {t('caCities', { title: t(all) })}
          </h2>
          <ul className="mt-3 flex flex-wrap gap-x-5">
            {cities
              .filter((other) => other !== city)
              .map((other) => (
                <li key={other}>
                  <Link to={categoryPath(type, other)} className="inline-block py-1.5 underline">
                    {other}
                  </Link>
                </li>
              ))}
          </ul>
        </nav>
      )}
    </div>
  )
}

/** A category, a category in a city, or else the property of that name. */
export function Component() {
  const { slug = '' } = useParams()
  const category = parseCategory(slug)
  const { t } = useTranslation()
  const { data, error, isPending, isFetching, refetch } = useQuery({
    ...facetsOptions(''),
    enabled: category !== null,
  })
  if (!category) return <PropertyPage />
  const cities = Object.keys(data?.city ?? {}).sort()
  if (!category.city) return <Category key={slug} type={category.type} city="" cities={cities} />
  if (isPending)
    return (
      <div className="mx-auto min-h-screen max-w-7xl px-4 pt-24 pb-16 sm:px-6">
        <Skeleton>
          <Bar className="h-7 w-52" />
          <Bar className="mt-5 h-9 w-80" />
          <Bar className="mt-4 mb-8 h-6 w-96" />
          <Bar className="h-11 w-full" />
          <Bar className="mt-4 h-11 w-full" />
          <CardSkeletons />
        </Skeleton>
      </div>
    )
  // Which cities there are is not known, so nothing is said about this one.
  if (error && !data)
    return (
      <Page title={t(CATEGORIES[category.type].title)} noindex>
        <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
      </Page>
    )
  const city = cities.find((name) => citySlug(name) === category.city)
  return city ? <Category key={slug} type={category.type} city={city} cities={cities} /> : <PropertyPage />
}
