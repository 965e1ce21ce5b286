import { buttonVariants } from '@/components/ui/button'
import { cardClass, Page } from '@/components/ui/page'
import { shortlistOptions } from '@/features/listings/api/shortlist'
import { viewedOptions } from '@/features/listings/api/kept'
import { newEnquiriesOptions } from '@/features/listings/api/received-enquiries'
import { PropertyCard } from '@/features/listings/components/property-card'
import { ReceivedEnquiries } from '@/features/listings/components/received-enquiries'
import { ENUMS } from '@/features/listings/labels'
import { recentDaysOptions } from '@/features/listings/owner/api/inbox'
import { countedOptions } from '@/features/listings/owner/api/mine'
import { Bars } from '@/features/listings/owner/components/bars'
import { Inbox } from '@/features/listings/owner/components/inbox'
import { NewsList } from '@/features/listings/owner/components/news'
import { statusWord } from '@/features/listings/owner/components/status-badge'
import { Tabs } from '@/components/ui/tabs'
import { perDay } from '@/features/listings/owner/per-day'
import { SavedSearches } from '@/features/listings/saved/saved-searches'
import { profileOptions } from '@/features/profile/api/profile'
import { completionOf } from '@/features/profile/completion'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
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

function Count({ icon, label, count, to }: { icon: ReactNode; label: string; count: number; to: string }) {
  return (
    <Link
      to={to}
      className={`${cardClass} flex items-center gap-4 p-5! hover:border-slate-400 dark:hover:border-slate-600`}
    >
      <span className="rounded-xl bg-blue-50 p-3 text-brand dark:bg-blue-950 dark:text-blue-200">{icon}</span>
      <span className="min-w-0">
        <span className="block text-2xl font-bold">{count}</span>
        <span className="block text-sm text-slate-700 dark:text-slate-300">{label}</span>
      </span>
    </Link>
  )
}

function Overview({ user }: { user: string }) {
  const { t } = useTranslation()
  const { data: listings = [] } = useQuery(countedOptions(user))
  const { data: fresh = 0 } = useQuery(newEnquiriesOptions(user))
  const { data: shortlist = [] } = useQuery(shortlistOptions(user))
  const { data: viewed = [] } = useQuery(viewedOptions(user))
  const { data: days = [] } = useQuery(recentDaysOptions(user, DAYS))
  const { data: profile } = useQuery(profileOptions(user))
  const drafts = listings.filter(({ status }) => status === 'draft')
  const rejected = listings.filter(({ status }) => status === 'rejected')
  const completion = profile && completionOf(profile)
  const icon = 'size-5'
  return (
    <div className="space-y-6">
      <div className="grid gap-3 min-[360px]:grid-cols-2 sm:gap-4 lg:grid-cols-4">
        <Count
          icon={<MessageSquare aria-hidden className={icon} />}
          label={t('daNewEnquiries')}
          count={fresh}
          to="/dashboard?tab=enquiries&status=new"
        />
        <Count
          icon={<Store aria-hidden className={icon} />}
          label={t('daPublic')}
          count={listings.filter(({ status }) => status === 'active').length}
          to="/my-listings?status=active"
        />
        <Count
          icon={<Heart aria-hidden className={icon} />}
          label={t('shortlist')}
          count={shortlist.length}
          to="/shortlisted-properties"
        />
        <Count
          icon={<Eye aria-hidden className={icon} />}
          label={t('viewed')}
          count={viewed.length}
          to="/viewed-properties"
        />
      </div>
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0 space-y-6">
          {drafts.length + rejected.length > 0 && (
            <section className={cardClass}>
              <h2 className="text-xl font-semibold">{t('daToDo')}</h2>
              <ul className="mt-3 divide-y divide-slate-200 dark:divide-slate-800">
                {[...rejected, ...drafts].slice(0, 5).map(({ id, title, status }) => (
                  <li key={id} className="flex flex-wrap items-center justify-between gap-3 py-3">
                    <span className="min-w-0 wrap-anywhere">
                      {title || t('daUntitled')}
                      <span className="block text-sm text-slate-700 dark:text-slate-300">
                        {t(statusWord(status))}
                      </span>
                    </span>
                    <Link
                      to={`/edit-listing/${id}`}
                      aria-label={t('mlActionOn', {
                        action: t('mlContinue'),
                        title: title || t('daUntitled'),
                      })}
                      className={buttonVariants({
                        variant: 'outline',
                        size: 'sm',
                        className: 'min-h-11 sm:min-h-9',
                      })}
                    >
                      {t('mlContinue')}
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          )}
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
          {listings.length > 0 && (
            <section className={cardClass}>
              <h2 className="mb-4 text-xl font-semibold">{t('daChart', { count: DAYS })}</h2>
              <Bars days={perDay(days, DAYS)} label={t('daChartText', { number: days.length, days: DAYS })} />
            </section>
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
                    <strong>{listings.filter((listing) => listing.status === status).length}</strong>
                  </Link>
                </li>
              ))}
            </ul>
            <p className="mt-3 border-t border-slate-200 pt-3 text-sm text-slate-700 dark:border-slate-800 dark:text-slate-300">
              {t('daViews', { count: listings.reduce((sum, { view_count: views }) => sum + views, 0) })}
            </p>
            <Link to="/list-property" className={buttonVariants({ className: 'mt-4 w-full' })}>
              <Plus aria-hidden className="size-4" /> {t('mlNew')}
            </Link>
          </section>
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
        <h2 className="mb-4 text-xl font-semibold">{t(viewed.length > 0 ? 'daViewed' : 'daFind')}</h2>
        {viewed.length > 0 ? (
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
