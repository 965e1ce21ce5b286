import { Spinner } from '@/components/ui/spinner'
import { cn } from '@/lib/cn'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, type ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import { countsOptions } from '../api/counts'
import { TABS, useDesk, type Tab } from '../use-desk'
import { Queue } from './queue'

const Listings = lazy(() => import('./listings').then((module) => ({ default: module.Listings })))
const Users = lazy(() => import('./users').then((module) => ({ default: module.Users })))
const Spaces = lazy(() => import('./spaces').then((module) => ({ default: module.Spaces })))
const Enquiries = lazy(() => import('./enquiries').then((module) => ({ default: module.Enquiries })))
const Reports = lazy(() => import('./desks').then((module) => ({ default: module.Reports })))
const Messages = lazy(() => import('./desks').then((module) => ({ default: module.Messages })))
const Audit = lazy(() => import('./audit').then((module) => ({ default: module.Audit })))

const DESKS: Readonly<Record<Tab, ComponentType>> = {
  queue: Queue,
  listings: Listings,
  users: Users,
  coworking: Spaces,
  enquiries: Enquiries,
  reports: Reports,
  messages: Messages,
  audit: Audit,
}

export function Admin() {
  const { t } = useTranslation()
  const { tab } = useDesk()
  const { data: counts } = useQuery(countsOptions)
  const waiting: Partial<Record<Tab, number>> = {
    queue: counts?.pending,
    reports: counts?.reports,
    messages: counts?.messages,
  }
  const Desk = DESKS[tab]
  return (
    <>
      {/* Desks have addresses of their own, so they are links and not tabs. */}
      <nav aria-label={t('adDesks')} className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
        <ul className="flex gap-1 border-b border-slate-300 lg:flex-wrap dark:border-slate-700">
          {(Object.entries(TABS) as Array<[Tab, string]>).map(([name, word]) => {
            const count = waiting[name] ?? 0
            return (
              <li key={name}>
                <Link
                  to={name === 'queue' ? '/admin' : `/admin?tab=${name}`}
                  aria-current={name === tab ? 'page' : undefined}
                  className={cn(
                    'flex min-h-11 items-center gap-2 rounded-t-lg border-b-3 px-3 text-sm font-semibold whitespace-nowrap',
                    name === tab
                      ? 'border-brand text-brand dark:border-blue-300 dark:text-blue-300'
                      : 'border-transparent hover:bg-slate-500/10',
                  )}
                >
                  {t(word)}
                  {count > 0 && (
                    <span className="rounded-full bg-red-700 px-2 text-xs leading-5 text-white">
                      <span aria-hidden>{count}</span>
                      <span className="sr-only">{t('adWaiting', { count })}</span>
                    </span>
                  )}
                </Link>
              </li>
            )
          })}
        </ul>
      </nav>
      <section aria-label={t(TABS[tab])} className="mt-6">
        <Suspense fallback={<Spinner />}>
          <Desk key={tab} />
        </Suspense>
      </section>
    </>
  )
}
