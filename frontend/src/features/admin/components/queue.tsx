import { Button, buttonVariants } from '@/components/ui/button'
import { Empty } from '@/components/ui/empty'
import { Failure } from '@/components/ui/failure'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { notify } from '@/lib/toast'
import { useQuery } from '@tanstack/react-query'
import { PartyPopper } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { queueOptions, useModerate, type Waiting } from '../api/queue'
import { useDesk } from '../use-desk'
import { Age } from './age'
import { Confirm } from './confirm'
import { RejectDialog } from './reject-dialog'
import { Review } from './review'

type Asked = { to: 'active' | 'rejected'; rows: readonly Waiting[] }

const writes = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest('input:not([type=checkbox]), textarea, select, dialog') !== null

/** Letters decide and move, as long as nobody is writing. */
function useKeys(keys: Readonly<Record<string, () => void>>, asleep: boolean) {
  useEffect(() => {
    if (asleep) return
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return
      const action = keys[event.key.toLowerCase()]
      if (!action) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

function Approve({
  rows,
  onDone,
  onClose,
}: {
  rows: readonly Waiting[]
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { mutate, isPending, error } = useModerate()
  return (
    <Confirm
      title={
        rows.length === 1
          ? t('adApproveAsk', { name: rows[0]?.title })
          : t('adApproveMany', { count: rows.length })
      }
      action={t('adApprove')}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(
          { ids: rows.map(({ id }) => id), to: 'active' },
          {
            onSuccess: ({ done, failure }) => {
              if (failure) notify.failure(failure, 'moderate')
              else notify.success(t('adApproved', { count: done }))
              onDone()
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}

const card = 'rounded-2xl border border-slate-200 bg-white dark:border-slate-800 dark:bg-slate-900'

/** The two columns of the queue while it is on its way. */
function QueueSkeleton() {
  return (
    <Skeleton className="grid items-start gap-6 pt-9 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <div className="space-y-2 max-lg:max-h-80 max-lg:overflow-hidden">
        {Array.from({ length: 6 }, (_, index) => (
          <div key={index} className={`${card} p-4`}>
            <Bar className="h-4 w-5/6" />
            <Bar className="mt-3 h-4 w-2/5" />
          </div>
        ))}
      </div>
      <div className={`${card} p-4 sm:p-6`}>
        <Bar className="h-5 w-40" />
        <Bar className="mt-3 h-8 w-4/5" />
        <Bar className="mt-3 h-5 w-3/5" />
        <Bar className="mt-4 h-[400px] w-full rounded-2xl" />
      </div>
    </Skeleton>
  )
}

export function Queue() {
  const { t } = useTranslation()
  const { id, set } = useDesk()
  const { data, error, isFetching, refetch } = useQuery(queueOptions)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [asked, setAsked] = useState<Asked | null>(null)
  const rows = data?.rows ?? []
  const index = Math.max(
    0,
    rows.findIndex((row) => row.id === id),
  )
  const current = rows[index]
  const go = (step: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, index + step))]
    if (next) set({ id: next.id }, true)
  }
  const ask = (to: Asked['to']) => current && setAsked({ to, rows: [current] })
  useKeys(
    { a: () => ask('active'), r: () => ask('rejected'), j: () => go(1), k: () => go(-1) },
    asked !== null,
  )
  // What is there stays when a later look fails: a reason may be half written.
  if (!data)
    return error ? (
      <Failure error={error} busy={isFetching} onRetry={() => void refetch()} className="py-12 text-center" />
    ) : (
      <QueueSkeleton />
    )
  if (!current)
    return (
      <Empty icon={PartyPopper} title={t('adQueueEmpty')} text={t('adQueueEmptyText')}>
        <Link to="/admin?tab=listings" className={buttonVariants()}>
          {t('adListings')}
        </Link>
      </Empty>
    )
  const selected = rows.filter((row) => chosen.includes(row.id))
  const finish = () => {
    setAsked(null)
    setChosen([])
    // On to the next one; the one that was decided is no longer here.
    const next = rows[index + 1] ?? rows[index - 1]
    if (asked?.rows.length === 1) set({ id: next?.id ?? '' }, true)
  }
  return (
    <>
      <p className="mb-4 text-sm text-slate-700 dark:text-slate-300">
        {t('adWaiting', { count: data.total })}
        <span className="ml-4 max-lg:hidden">{t('adKeys')}</span>
      </p>
      {selected.length > 0 && (
        <div
          data-slot="bulk"
          className="mb-4 flex flex-wrap items-center gap-3 rounded-2xl bg-blue-100 p-3 text-blue-950 dark:bg-blue-950 dark:text-blue-100"
        >
          <p role="status" className="mr-auto font-semibold">
            {t('adChosen', { count: selected.length })}
          </p>
          <Button size="sm" onClick={() => setAsked({ to: 'active', rows: selected })}>
            {t('adApproveChosen')}
          </Button>
          <Button
            size="sm"
            variant="destructive"
            onClick={() => setAsked({ to: 'rejected', rows: selected })}
          >
            {t('adRejectChosen')}
          </Button>
          <Button size="sm" variant="outline" onClick={() => setChosen([])}>
            {t('adChooseNone')}
          </Button>
        </div>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
        <ol
          aria-label={t('adQueue')}
          className="space-y-2 max-lg:max-h-80 max-lg:overflow-y-auto lg:sticky lg:top-20 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto lg:p-1"
        >
          {rows.map((row) => (
            <li
              key={row.id}
              data-slot="waiting"
              className={cn(
                'flex items-start gap-1 rounded-xl border bg-white p-1.5 dark:bg-slate-900',
                row.id === current.id
                  ? 'border-brand ring-1 ring-brand dark:border-blue-300 dark:ring-blue-300'
                  : 'border-slate-200 dark:border-slate-800',
              )}
            >
              <label className="flex size-11 shrink-0 cursor-pointer items-center justify-center">
                <span className="sr-only">{t('adChoose', { name: row.title })}</span>
                <input
                  type="checkbox"
                  className="size-5 accent-brand"
                  checked={chosen.includes(row.id)}
                  onChange={({ target: { checked } }) =>
                    setChosen(checked ? [...chosen, row.id] : chosen.filter((other) => other !== row.id))
                  }
                />
              </label>
              <button
                type="button"
                aria-current={row.id === current.id ? 'true' : undefined}
                onClick={() => set({ id: row.id }, true)}
                className="min-w-0 grow rounded-lg p-1.5 text-left"
              >
                <span className="line-clamp-2 text-sm font-semibold wrap-anywhere">{row.title}</span>
                <span className="mt-1 flex flex-wrap items-center gap-2 text-xs text-slate-700 dark:text-slate-300">
                  <Age since={row.submitted_at} /> {row.city}
                </span>
              </button>
            </li>
          ))}
        </ol>
        <Review
          key={current.id}
          property={current}
          onApprove={() => ask('active')}
          onReject={() => ask('rejected')}
        />
      </div>
      {asked?.to === 'active' && <Approve rows={asked.rows} onDone={finish} onClose={() => setAsked(null)} />}
      {asked?.to === 'rejected' && (
        <RejectDialog rows={asked.rows} onDone={finish} onClose={() => setAsked(null)} />
      )}
    </>
  )
}
