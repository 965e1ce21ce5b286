import { Button, buttonVariants } from '@/components/ui/button'
import { Empty } from '@/components/ui/empty'
import { Failure } from '@/components/ui/failure'
import { controlClass } from '@/components/ui/field'
import { cardClass } from '@/components/ui/page'
import { RowSkeletons } from '@/components/ui/skeleton'
import { notify } from '@/lib/toast'
import type { Enums } from '@/types/database'
import { useQuery } from '@tanstack/react-query'
import { BookmarkPlus, Trash2 } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { describeFilter } from '../describe-filter'
import { activeFilters, writeFilters } from '../filters'
import { date } from '../money'
import { ALERTS } from './alerts'
import { fromQuery, savedOptions, useChangeSaved } from './api'

/** The searches that somebody kept, and how they are told of what is new in them. */
export function SavedSearches({ user }: { user: string }) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = useQuery(savedOptions(user))
  const change = useChangeSaved()
  const onError = (failure: unknown) => notify.failure(failure, 'saved-search')
  if (!data)
    return error ? (
      <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <RowSkeletons count={4} />
    )
  if (data.length === 0)
    return (
      <Empty icon={BookmarkPlus} text={t('ssNone')}>
        <Link to="/search" className={buttonVariants({ className: 'h-auto! min-h-11 whitespace-normal!' })}>
          {t('prBrowse')}
        </Link>
      </Empty>
    )
  return (
    <ul data-slot="saved-searches" className="space-y-4">
      {data.map(({ id, name, query, alert, created_at: at }) => {
        const filters = fromQuery(query)
        return (
          <li key={id} className={`${cardClass} flex flex-wrap items-end gap-x-6 gap-y-4 p-5!`}>
            <div className="min-w-0 grow basis-64">
              <Link
                to={`/search?${writeFilters(filters).toString()}`}
                className="font-semibold underline underline-offset-2 wrap-anywhere"
              >
                {name}
              </Link>
              <p className="mt-1 text-sm text-slate-700 dark:text-slate-300">
                {activeFilters(filters)
                  .map((filter) => describeFilter(filters, filter, t))
                  .join(' · ') || t('ssEverything')}
              </p>
              <p className="mt-1 text-xs text-slate-700 dark:text-slate-300">
                {t('ssSince', { date: date(at) })}
              </p>
            </div>
            <div>
              <label htmlFor={`alert-${id}`} className="mb-1.5 block text-sm font-medium">
                {t('ssAlert')}
                <span className="sr-only">: {name}</span>
              </label>
              <select
                id={`alert-${id}`}
                value={
                  change.isPending && change.variables.id === id ? (change.variables.alert ?? alert) : alert
                }
                onChange={(event) => {
                  const next = Object.keys(ALERTS).find((each) => each === event.target.value)
                  if (next)
                    change.mutate(
                      { id, alert: next as Enums<'search_alert'> },
                      { onSuccess: () => notify.success(t('ssChanged')), onError },
                    )
                }}
                className={controlClass}
              >
                {Object.entries(ALERTS).map(([value, word]) => (
                  <option key={value} value={value}>
                    {t(word)}
                  </option>
                ))}
              </select>
            </div>
            <Button
              variant="ghost"
              size="icon"
              aria-label={t('ssRemove', { name })}
              onClick={() =>
                change.mutate(
                  { id, gone: true },
                  { onSuccess: () => notify.success(t('ssRemoved')), onError },
                )
              }
            >
              <Trash2 aria-hidden className="size-5" />
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
