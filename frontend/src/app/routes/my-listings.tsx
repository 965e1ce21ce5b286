import { buttonVariants } from '@/components/ui/button'
import { Failure } from '@/components/ui/failure'
import { controlClass } from '@/components/ui/field'
import { Page } from '@/components/ui/page'
import { RowSkeletons } from '@/components/ui/skeleton'
import { Pagination } from '@/features/listings/components/pagination'
import { ENUMS, TYPES } from '@/features/listings/labels'
import {
  countedOptions,
  MINE_PER_PAGE,
  mineOptions,
  type MineFilter,
} from '@/features/listings/owner/api/mine'
import { MyListing } from '@/features/listings/owner/components/my-listing'
import { statusWord } from '@/features/listings/owner/components/status-badge'
import { Tabs } from '@/components/ui/tabs'
import { cn } from '@/lib/cn'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useSearchParams } from 'react-router-dom'

function readFilter(params: URLSearchParams): MineFilter {
  const one = <T extends string>(name: string, known: readonly T[]) =>
    known.find((value) => value === params.get(name)) ?? ('' as const)
  const page = Number(params.get('page') ?? 1)
  return {
    status: one('status', ENUMS.property_status),
    type: one('type', ENUMS.property_type),
    text: (params.get('q') ?? '').trim().slice(0, 120),
    page: Number.isInteger(page) && page > 0 ? Math.min(page, 10_000) : 1,
  }
}

function addressOf(filter: Partial<MineFilter>) {
  const params = new URLSearchParams()
  if (filter.status) params.set('status', filter.status)
  if (filter.type) params.set('type', filter.type)
  if (filter.text) params.set('q', filter.text)
  if (filter.page && filter.page > 1) params.set('page', String(filter.page))
  const query = params.toString()
  return `/my-listings${query && `?${query}`}`
}

const TYPE_AFTER = 300

/** What somebody lists: by state, with how it does and what can be done with it. */
export function Component() {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const user = useAppStore((state) => state.user?.id ?? '')
  const filter = readFilter(params)
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = useQuery(
    mineOptions(user, filter),
  )
  const { data: counted = [] } = useQuery(countedOptions(user))
  const [text, setText] = useState(filter.text)
  useEffect(() => {
    if (text.trim() === filter.text) return
    const timer = setTimeout(() => {
      setParams(
        (before) => {
          before.delete('page')
          if (text.trim()) before.set('q', text.trim())
          else before.delete('q')
          return before
        },
        { replace: true },
      )
    }, TYPE_AFTER)
    return () => clearTimeout(timer)
  }, [text, filter.text, setParams])
  useEffect(() => {
    if (data?.beyond && filter.page > 1)
      setParams(
        (before) => {
          before.set('page', String(filter.page - 1))
          return before
        },
        { replace: true },
      )
  }, [data, filter.page, setParams])

  const count = (status: string) => counted.filter((listing) => listing.status === status).length
  const tabs = [
    { name: '', label: t('mlAll'), to: addressOf({ ...filter, status: '', page: 1 }), count: counted.length },
    ...ENUMS.property_status.map((status) => ({
      name: status,
      label: t(statusWord(status)),
      to: addressOf({ ...filter, status, page: 1 }),
      count: count(status),
    })),
  ]
  const narrowed = filter.type !== '' || filter.text !== ''
  return (
    <Page title={t('mlTitle')} lead={t('mlLead')} noindex>
      <div className="mb-6 flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow basis-56">
          <label htmlFor="mine-text" className="mb-1.5 block text-sm font-medium">
            {t('mlSearch')}
          </label>
          <input
            id="mine-text"
            type="search"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className={controlClass}
          />
        </div>
        <div className="basis-48 max-sm:grow">
          <label htmlFor="mine-type" className="mb-1.5 block text-sm font-medium">
            {t('fcType')}
          </label>
          <select
            id="mine-type"
            value={filter.type}
            onChange={(event) =>
              setParams((before) => {
                before.delete('page')
                if (event.target.value) before.set('type', event.target.value)
                else before.delete('type')
                return before
              })
            }
            className={controlClass}
          >
            <option value="">{t('liAnyType')}</option>
            {Object.entries(TYPES).map(([type, word]) => (
              <option key={type} value={type}>
                {t(word)}
              </option>
            ))}
          </select>
        </div>
        <Link to="/list-property" className={buttonVariants({ className: 'max-sm:grow' })}>
          <Plus aria-hidden className="size-4" /> {t('mlNew')}
        </Link>
      </div>
      <Tabs label={t('mlByStatus')} tabs={tabs} current={filter.status} />
      {error && !data ? (
        <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : isPending ? (
        <RowSkeletons count={4} lines={4} picture="aspect-4/3 w-full sm:w-48" className="space-y-5" />
      ) : data && data.listings.length > 0 ? (
        <div className={cn('space-y-5', isPlaceholderData && 'opacity-60')} aria-busy={isPlaceholderData}>
          <p role="status" className="sr-only">
            {t('mlCount', { count: data.total })}
          </p>
          {data.listings.map((listing) => (
            <MyListing key={listing.id} user={user} listing={listing} />
          ))}
          <Pagination
            page={filter.page}
            pages={Math.ceil(data.total / MINE_PER_PAGE)}
            to={(page) => addressOf({ ...filter, page })}
            onGo={() => window.scrollTo({ top: 0 })}
          />
        </div>
      ) : (
        <div
          data-slot="empty"
          className="rounded-2xl border border-dashed border-slate-400 p-8 text-center dark:border-slate-600"
        >
          <img src="/free-listing.svg" alt="" width="72" height="72" className="mx-auto" />
          <p className="mt-4 text-lg font-semibold">
            {t(narrowed ? 'mlNoneMatch' : filter.status ? 'mlNoneHere' : 'mlNone')}
          </p>
          {!narrowed && !filter.status && <p className="mt-1">{t('mlNoneText')}</p>}
          {narrowed ? (
            <Link
              to={addressOf({ status: filter.status })}
              onClick={() => setText('')}
              className={buttonVariants({ variant: 'outline', className: 'mt-5' })}
            >
              {t('clear')}
            </Link>
          ) : (
            <Link to="/list-property" className={buttonVariants({ className: 'mt-5' })}>
              {t('mlNew')}
            </Link>
          )}
        </div>
      )}
    </Page>
  )
}
