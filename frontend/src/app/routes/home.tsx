import { buttonVariants } from '@/components/ui/button'
import { CardSkeletons } from '@/components/ui/card-skeletons'
import { Failure } from '@/components/ui/failure'
import { usePageMeta } from '@/components/ui/page'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import { spacesOptions } from '@/features/coworking/api/get-spaces'
import { SpaceCard } from '@/features/coworking/components/space-card'
import { HomeSearch } from '@/features/listings/components/home-search'
import { needSection } from '@/i18n'
import { useHydrating } from '@/lib/hydrating'
import { siteOrigin, useSeo } from '@/lib/seo'
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, ShieldCheck } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

const HomeProperties = lazy(async () => {
  const [{ HomeProperties: component }] = await Promise.all([
    import('@/features/listings/components/home-properties'),
    needSection('property'),
  ])
  return { default: component }
})
const STEPS = [
  ['hmStep1', 'hmStep1Text'],
  ['hmStep2', 'hmStep2Text'],
  ['hmStep3', 'hmStep3Text'],
] as const

function structuredData() {
  const origin = siteOrigin()
  return [
    {
      '@type': 'Organization',
      name: 'Nilam',
      url: origin,
      logo: `${origin}/logo.svg`,
      email: 'info@nilam.example',
      telephone: '+914344000000',
      address: {
        '@type': 'PostalAddress',
        streetAddress: 'Bagalur Road',
        addressLocality: 'Hosur',
        addressRegion: 'Tamil Nadu',
        postalCode: '635109',
        addressCountry: 'IN',
      },
    },
    {
      '@type': 'WebSite',
      name: 'Nilam',
      url: origin,
      inLanguage: ['en-IN', 'hi', 'ta'],
      potentialAction: {
        '@type': 'SearchAction',
        target: `${origin}/search?q={search_term_string}`,
        'query-input': 'required name=search_term_string',
      },
    },
  ]
}

/** By itself, because whatever renders the page's frame anew before the code of its parts is there would empty them. */
function FeaturedSpaces() {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = useQuery(spacesOptions(''))
  // Far below the fold: the page that is made ahead goes without a shape of it.
  const hydrating = useHydrating()
  const featured = (data ?? []).filter((space) => space.paid_listing).slice(0, 3)
  if (!data && hydrating) return null
  if (!data && !error)
    return (
      <Skeleton>
        <Bar className="h-8 w-64" />
        <CardSkeletons count={3} />
      </Skeleton>
    )
  if (data && featured.length === 0) return null
  return (
    <section>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-2xl font-bold">{t('hmFeatured')}</h2>
        <Link to="/coworking" className={buttonVariants({ variant: 'link', className: 'px-0!' })}>
          {t('hmAll')}
        </Link>
      </div>
      {!data && <Failure error={error} busy={isFetching} onRetry={() => void refetch()} className="mt-6" />}
      <div className="mt-6 grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {featured.map((space) => (
          <SpaceCard key={space.id} space={space} level="h3" />
        ))}
      </div>
    </section>
  )
}

export function Component() {
  const { t } = useTranslation()
  usePageMeta(t('hmTitle'))
  useSeo({
    title: t('hmTitle'),
    description: t('hmDescription'),
    path: '/',
    image: '/seed/scene-01-1280.webp',
    data: structuredData(),
  })
  return (
    <>
      <section className="bg-gradient-to-br from-blue-100 via-white to-amber-50 dark:from-blue-950 dark:via-slate-950 dark:to-slate-900">
        <div className="mx-auto grid max-w-7xl items-center gap-10 px-4 *:min-w-0 pt-28 pb-16 sm:px-6 lg:grid-cols-2">
          <div>
            <h1
              tabIndex={-1}
              className="text-3xl font-extrabold tracking-tight text-balance wrap-anywhere sm:text-5xl"
            >
              {t('hmHeading')}
            </h1>
            <p className="mt-4 text-lg text-slate-700 dark:text-slate-300">{t('hmLead')}</p>
            <HomeSearch />
            <p className="mt-5 flex flex-wrap gap-x-6 gap-y-2 text-sm font-medium">
              <span className="flex items-center gap-2">
                <BadgeCheck aria-hidden className="size-5 text-emerald-700 dark:text-emerald-300" />{' '}
                {t('hmFree')}
              </span>
              <span className="flex items-center gap-2">
                <ShieldCheck aria-hidden className="size-5 text-emerald-700 dark:text-emerald-300" />{' '}
                {t('hmVerified')}
              </span>
            </p>
          </div>
          <img src="/hero.svg" alt="" width="600" height="420" className="hidden w-full lg:block" />
        </div>
      </section>
      <div className="mx-auto max-w-7xl space-y-16 px-4 py-16 sm:px-6">
        {/* In its own chunk, with its own words: nothing of it is above the fold of a phone. */}
        <Suspense fallback={<div className="min-h-[160rem] sm:min-h-[72rem]" />}>
          <HomeProperties />
        </Suspense>
        <FeaturedSpaces />
        <section>
          <h2 className="text-2xl font-bold">{t('hmHow')}</h2>
          <ol className="mt-6 grid gap-6 sm:grid-cols-3">
            {STEPS.map(([title, text], index) => (
              <li key={title} className="rounded-2xl bg-white p-6 shadow-sm dark:bg-slate-900">
                <span className="flex size-10 items-center justify-center rounded-full bg-brand font-bold text-white">
                  {index + 1}
                </span>
                <h3 className="mt-4 text-lg font-semibold">{t(title)}</h3>
                <p className="mt-1 text-slate-700 dark:text-slate-300">{t(text)}</p>
              </li>
            ))}
          </ol>
        </section>
        <section className="flex flex-wrap items-center gap-6 rounded-2xl bg-brand-dark p-8 text-white">
          <img src="/free-listing.svg" alt={t('hmBadge')} width="112" height="112" loading="lazy" />
          <div className="min-w-0 wrap-anywhere">
            <h2 className="text-2xl font-bold">{t('hmOwn')}</h2>
            <p className="mt-1 text-blue-100">{t('hmOwnText')}</p>
          </div>
        </section>
      </div>
    </>
  )
}
