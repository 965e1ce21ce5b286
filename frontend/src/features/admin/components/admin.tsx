import { Tabs } from '@/components/ui/tabs'
import { RowSkeletons } from '@/components/ui/skeleton'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, type ComponentType } from 'react'
import { useTranslation } from '@/i18n/use-translation'
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
      <Tabs
        label={t('adDesks')}
        current={tab}
        tabs={(Object.entries(TABS) as Array<[Tab, string]>).map(([name, word]) => ({
          name,
          label: t(word),
          to: name === 'queue' ? '/admin' : `/admin?tab=${name}`,
          count: waiting[name],
          note: t('adWaiting', { count: waiting[name] ?? 0 }),
        }))}
      />
      <section aria-label={t(TABS[tab])} className="mt-6">
        <Suspense fallback={<RowSkeletons count={8} className="space-y-3 pt-18" />}>
          <Desk key={tab} />
        </Suspense>
      </section>
    </>
  )
}
