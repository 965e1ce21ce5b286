import { buttonVariants } from '@/components/ui/button'
import { CardSkeletons } from '@/components/ui/card-skeletons'
import { Failure } from '@/components/ui/failure'
import { cardClass, Page } from '@/components/ui/page'
import { Bar, RowSkeletons, Skeleton } from '@/components/ui/skeleton'
import { shortlistOptions } from '@/features/listings/api/shortlist'
import { viewedOptions } from '@/features/listings/api/kept'
import { newEnquiriesOptions, receivedOptions } from '@/features/listings/api/received-enquiries'
import { PropertyCard } from '@/features/listings/components/property-card'
import { ReceivedEnquiries } from '@/features/listings/components/received-enquiries'
import { ENUMS } from '@/features/listings/labels'
import { recentDaysOptions } from '@/features/listings/owner/api/inbox'
import { countedOptions } from '@/features/listings/owner/api/mine'
import { Bars } from '@/features/listings/owner/components/bars'
import { Inbox } from '@/features/listings/owner/components/inbox'
import { NewsList } from '@/features/listings/owner/components/news'
import { ToDo } from '@/features/listings/owner/components/to-do'
import { statusWord } from '@/features/listings/owner/components/status-badge'
import { Tabs } from '@/components/ui/tabs'
import { perDay } from '@/features/listings/owner/per-day'
import { SavedSearches } from '@/features/listings/saved/saved-searches'
import { profileOptions } from '@/features/profile/api/profile'
import { completionOf } from '@/features/profile/completion'
import { useAppStore } from '@/stores/app-store'
import { usePrefetchQuery, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Eye, Heart, MessageSquare, Plus, Store } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useSearchParams } from 'react-router-dom'

const TABS = {
  overview: 'daOverview',
  enquiries: 'daEnquiries',
  news: 'daNews',
  searches: 'daSearches',
} as const
const DAYS = 30

/** A number of which nothing is claimed before it is known. */
function Known<T>({ query, of }: { query: UseQueryResult<T>; of: (data: T) => number }) {
  const { data, error } = query
  if (data !== undefined) return of(data)
  return error ? '—' : <Bar className="inline-block h-[0.8em] w-8" />
}

function Count({ icon, label, count, to }: { icon: ReactNode; label: string; count: ReactNode; to: string }) {
  return (
    <Link
      to={to}
      className={`${cardClass} flex items-center gap-2 p-4! sm:gap-3 hover:border-slate-400 dark:hover:border-slate-600`}
    >
      <span className="rounded-xl bg-blue-50 p-2 text-brand sm:p-3 dark:bg-blue-950 dark:text-blue-200">
        {icon}
      </span>
      <span className="min-w-0">
        <span className="block text-2xl font-bold">{count}</span>
        <span className="block text-sm text-slate-700 wrap-anywhere dark:text-slate-300">{label}</span>
      </span>
    </Link>
  )
}

function Overview({ user }: { user: string }) {
  const { t } = useTranslation()
  // Shown once it is known what stands above it, asked for at once.
  usePrefetchQuery(receivedOptions(user))
  const counted = useQuery(countedOptions(user))
  const fresh = useQuery(newEnquiriesOptions(user))
  const shortlist = useQuery(shortlistOptions(user))
  const seen = useQuery(viewedOptions(user))
  const recent = useQuery(recentDaysOptions(user, DAYS))
  const own = useQuery(profileOptions(user))
  const failed = [counted, fresh, shortlist, seen, recent, own].filter(
    ({ error, data }) => error && data === undefined,
  )
  const { data: listings = [] } = counted
  const { data: viewed = [] } = seen
  const { data: days } = recent
  const { data: profile } = own
  const completion = profile && completionOf(profile)
  const icon = 'size-5'
  return (
    <div className="space-y-6">
      {failed.length > 0 && (
        <Failure
          error={failed[0]?.error}
          busy={failed.some(({ isFetching }) => isFetching)}
          onRetry={() => failed.forEach(({ refetch }) => void refetch())}
          className={cardClass}
        />
      )}
      <div className="grid gap-3 min-[360px]:grid-cols-2 sm:gap-4 lg:grid-cols-4">
        <Count
          icon={<MessageSquare aria-hidden className={icon} />}
          label={t('daNewEnquiries')}
          count={<Known query={fresh} of={(number) => number} />}
          to="/dashboard?tab=enquiries&status=new"
        />
        <Count
          icon={<Store aria-hidden className={icon} />}
          label={t('daPublic')}
          count={
            <Known query={counted} of={(all) => all.filter(({ status }) => status === 'active').length} />
          }
          to="/my-listings?status=active"
        />
        <Count
          icon={<Heart aria-hidden className={icon} />}
          label={t('shortlist')}
          count={<Known query={shortlist} of={(ids) => ids.length} />}
          to="/shortlisted-properties"
        />
        <Count
          icon={<Eye aria-hidden className={icon} />}
          label={t('viewed')}
          count={<Known query={seen} of={(all) => all.length} />}
          to="/viewed-properties"
        />
      </div>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0 space-y-6">
          {counted.isPending ? (
            <RowSkeletons count={2} lines={8} className="space-y-6" />
          ) : (
            <>
              <ToDo listings={listings} />
              <section className={cardClass}>
                <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
                  <h2 className="text-xl font-semibold">{t('reTitle')}</h2>
                  <Link
                    to="/dashboard?tab=enquiries"
                    className={buttonVariants({ variant: 'link', size: 'sm', className: 'px-0!' })}
                  >
                    {t('daAllEnquiries')}
                  </Link>
                </div>
                <ReceivedEnquiries />
              </section>
              {listings.length > 0 && days && (
                <section className={cardClass}>
                  <h2 className="mb-4 text-xl font-semibold">{t('daChart', { count: DAYS })}</h2>
                  <Bars
                    days={perDay(days, DAYS)}
                    label={t('daChartText', { number: days.length, days: DAYS })}
                  />
                </section>
              )}
            </>
          )}
        </div>
        <div className="min-w-0 space-y-6">
          <section className={cardClass}>
            <h2 className="text-xl font-semibold">{t('daListings')}</h2>
            <ul className="mt-3 space-y-1">
              {ENUMS.property_status.map((status) => (
                <li key={status}>
                  <Link
                    to={`/my-listings?status=${status}`}
                    className="flex min-h-10 items-center justify-between rounded-lg px-2 hover:bg-slate-500/10"
                  >
                    {t(statusWord(status))}
                    <strong>
                      <Known
                        query={counted}
                        of={(all) => all.filter((listing) => listing.status === status).length}
                      />
                    </strong>
                  </Link>
                </li>
              ))}
            </ul>
            <p className="mt-3 border-t border-slate-200 pt-3 text-sm text-slate-700 dark:border-slate-800 dark:text-slate-300">
              {counted.data ? (
                t('daViews', { count: listings.reduce((sum, { view_count: views }) => sum + views, 0) })
              ) : (
                <Bar className="h-5 w-28" />
              )}
            </p>
            <Link to="/list-property" className={buttonVariants({ className: 'mt-4 w-full' })}>
              <Plus aria-hidden className="size-4" /> {t('mlNew')}
            </Link>
          </section>
          {own.isPending && (
            <div className={cardClass}>
              <Bar className="h-7 w-40" />
              <Bar className="mt-3 h-4 w-52" />
              <Bar className="mt-3 h-2 w-full" />
              <Bar className="mt-5 h-11 w-full" />
            </div>
          )}
          {completion && (
            <section className={cardClass}>
              <h2 className="text-xl font-semibold">{t('daYour')}</h2>
              <p className="mt-2 text-sm">{t('daComplete', { percent: completion.percent })}</p>
              <div
                role="progressbar"
                aria-label={t('daYour')}
                aria-valuenow={completion.percent}
                aria-valuemin={0}
                aria-valuemax={100}
                className="mt-2 h-2 overflow-hidden rounded-full bg-slate-200 dark:bg-slate-800"
              >
                <div
                  className="h-full bg-emerald-700 dark:bg-emerald-500"
                  style={{ width: `${completion.percent}%` }}
                />
              </div>
              {completion.missing.length > 0 && (
                <p className="mt-2 text-sm text-slate-700 dark:text-slate-300">
                  {t('daMissing', { parts: completion.missing.map((part) => t(part)).join(', ') })}
                </p>
              )}
              <Link
                to="/profile"
                className={buttonVariants({ variant: 'outline', className: 'mt-4 w-full' })}
              >
                {t('profile')}
              </Link>
            </section>
          )}
        </div>
      </div>
      <section>
        <h2 className="mb-4 text-xl font-semibold">{t(seen.data?.length === 0 ? 'daFind' : 'daViewed')}</h2>
        {seen.isPending ? (
          <Skeleton>
            <CardSkeletons count={3} className="" />
          </Skeleton>
        ) : viewed.length > 0 ? (
          <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
            {viewed.slice(0, 3).map(({ property }) => (
              <PropertyCard key={property.id} property={property} level="h3" />
            ))}
          </div>
        ) : (
          <div className={cardClass}>
            <p>{t('daFindText')}</p>
            <div className="mt-4 flex flex-wrap gap-3">
              <Link
                to="/commercial"
                className={buttonVariants({ className: 'h-auto! min-h-11 whitespace-normal!' })}
              >
                {t('prBrowse')}
              </Link>
              <Link
                to="/coworking"
                className={buttonVariants({
                  variant: 'outline',
                  className: 'h-auto! min-h-11 whitespace-normal!',
                })}
              >
                {t('daCoworking')}
              </Link>
            </div>
          </div>
        )}
      </section>
    </div>
  )
}

/** What waits for somebody, how their listings do, and what they follow. */
export function Component() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user)
  const id = user?.id ?? ''
  const [params] = useSearchParams()
  const { data: fresh = 0 } = useQuery(newEnquiriesOptions(id))
  const asked = params.get('tab') ?? ''
  const tab = Object.keys(TABS).find((name) => name === asked) ?? 'overview'
  return (
    <Page title={t('dashboard')} lead={user?.name ? t('daHello', { name: user.name }) : undefined} noindex>
      <Tabs
        label={t('daTabs')}
        current={tab}
        tabs={Object.entries(TABS).map(([name, word]) => ({
          name,
          label: t(word),
          to: name === 'overview' ? '/dashboard' : `/dashboard?tab=${name}`,
          count: name === 'enquiries' ? fresh : undefined,
        }))}
      />
      {tab === 'enquiries' ? (
        <Inbox user={id} />
      ) : tab === 'news' ? (
        <NewsList user={id} />
      ) : tab === 'searches' ? (
        <SavedSearches user={id} />
      ) : (
        <Overview user={id} />
      )}
    </Page>
  )
}
