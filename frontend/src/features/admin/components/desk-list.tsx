import { buttonVariants } from '@/components/ui/button'
import { Empty } from '@/components/ui/empty'
import { Failure } from '@/components/ui/failure'
import { controlClass } from '@/components/ui/field'
import { RowSkeletons } from '@/components/ui/skeleton'
import { Pagination } from '@/features/listings/components/pagination'
import { cn } from '@/lib/cn'
import type { UseQueryResult } from '@tanstack/react-query'
import { Inbox, Search, SearchX } from 'lucide-react'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { useDesk } from '../use-desk'

const WAIT = 250

/** What is looked for goes into the address once the typing rests. */
function SearchField() {
  const { t } = useTranslation()
  const { q, set } = useDesk()
  const id = useId()
  const [text, setText] = useState(q)
  const [known, setKnown] = useState(q)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  if (known !== q) {
    setKnown(q)
    setText(q)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <div className="relative min-w-0 grow">
      <label htmlFor={id} className="sr-only">
        {t('adSearch')}
      </label>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-3.5 left-3 size-4 text-slate-600 dark:text-slate-400"
      />
      <input
        id={id}
        type="search"
        autoComplete="off"
        placeholder={t('adSearch')}
        value={text}
        maxLength={100}
        onChange={({ target: { value } }) => {
          setText(value)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => {
            setKnown(value.trim())
            set({ q: value.trim(), page: '' }, true)
          }, WAIT)
        }}
        className={cn(controlClass, 'pl-9')}
      />
    </div>
  )
}

function StatusField({ none, options }: { none: string; options: ReadonlyArray<readonly [string, string]> }) {
  const { t } = useTranslation()
  const { status, set } = useDesk()
  return (
    <select
      aria-label={t('adStatus')}
      value={status(options.map(([value]) => value))}
      onChange={({ target: { value } }) => set({ status: value, page: '' })}
      className={cn(controlClass, 'sm:w-60!')}
    >
      <option value="">{none}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {/* Some are words from the middle of a sentence. */}
          {text.charAt(0).toUpperCase() + text.slice(1)}
        </option>
      ))}
    </select>
  )
}

type Page<T> = { rows: T[]; total: number; pages: number }
type Props<T> = {
  query: UseQueryResult<Page<T>>
  search?: boolean
  none?: string
  options?: ReadonlyArray<readonly [string, string]>
  action?: ReactNode
  /** What is not there yet, and when it would be. */
  empty: string
  /** Where one goes from there; the queue, unless said. */
  next?: ReactNode
  children: (row: T) => ReactNode
}

const emptyAction = buttonVariants({ className: 'h-auto! min-h-11 whitespace-normal!' })

/** Nothing to show: because of what was asked for, or because there is none. */
function NoRows({ narrowed, empty, next }: { narrowed: boolean; empty: string; next?: ReactNode }) {
  const { t } = useTranslation()
  const { to } = useDesk()
  return (
    <div role="status" className="mt-4">
      {narrowed ? (
        <Empty icon={SearchX} text={t('adNoneMatch')}>
          <Link to={to({ q: '', status: '', page: '' })} className={emptyAction}>
            {t('adShowAll')}
          </Link>
        </Empty>
      ) : (
        <Empty icon={Inbox} text={empty}>
          {next ?? (
            <Link to="/admin" className={emptyAction}>
              {t('adQueue')}
            </Link>
          )}
        </Empty>
      )}
    </div>
  )
}

/** One desk: what narrows it, its rows, and the way to more of them. */
export function DeskList<T extends { id: string | null }>({
  query,
  search = true,
  none = '',
  options = [],
  action,
  empty,
  next,
  children,
}: Props<T>) {
  const { t } = useTranslation()
  const { q, page, status, to } = useDesk()
  const top = useRef<HTMLDivElement>(null)
  const { data, error, isFetching, isPlaceholderData, refetch } = query
  const narrowed = (search && q !== '') || status(options.map(([value]) => value)) !== '' || page > 1
  return (
    <div ref={top} className="scroll-mt-20">
      <div className="flex flex-wrap gap-3 sm:flex-nowrap">
        {search && <SearchField />}
        {options.length > 0 && <StatusField none={none} options={options} />}
        {action}
      </div>
      {error ? (
        <Failure
          error={error}
          busy={isFetching}
          onRetry={() => void refetch()}
          className="py-12 text-center"
        />
      ) : !data ? (
        <RowSkeletons count={8} className="mt-13 space-y-3" />
      ) : data.rows.length === 0 ? (
        <NoRows narrowed={narrowed} empty={empty} next={next} />
      ) : (
        <>
          <p role="status" className="my-4 text-sm text-slate-700 dark:text-slate-300">
            {t('adCount', { count: data.total })}
          </p>
          <ul
            aria-busy={isPlaceholderData}
            // Not so far that it could not be read.
            className={cn('space-y-3 transition-opacity', isPlaceholderData && 'opacity-85')}
          >
            {data.rows.map((row) => (
              <li
                key={row.id}
                data-slot="desk-row"
                className="grid gap-3 rounded-2xl border border-slate-200 bg-white p-4 shadow-sm sm:grid-cols-[minmax(0,1fr)_auto] sm:items-center dark:border-slate-800 dark:bg-slate-900"
              >
                {children(row)}
              </li>
            ))}
          </ul>
          <Pagination
            page={Math.min(page, data.pages)}
            pages={data.pages}
            to={(each) => to({ page: each === 1 ? '' : String(each) })}
            onGo={() => top.current?.scrollIntoView()}
          />
        </>
      )}
    </div>
  )
}

const TONES = {
  plain: 'bg-slate-200 text-slate-900 dark:bg-slate-800 dark:text-slate-100',
  good: 'bg-emerald-100 text-emerald-900 dark:bg-emerald-950 dark:text-emerald-100',
  wait: 'bg-amber-100 text-amber-950 dark:bg-amber-950 dark:text-amber-100',
  bad: 'bg-red-100 text-red-900 dark:bg-red-950 dark:text-red-100',
  info: 'bg-blue-100 text-blue-950 dark:bg-blue-950 dark:text-blue-100',
} as const
export type Tone = keyof typeof TONES

export const Tag = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <span
    data-slot="tag"
    className={cn(
      'inline-block rounded-full px-2.5 py-0.5 text-xs font-semibold first-letter:uppercase',
      TONES[tone],
    )}
  >
    {children}
  </span>
)

/** What a row says: its name, its state, and the small print. */
export function RowText({
  title,
  tags,
  children,
}: {
  title: ReactNode
  tags?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <strong className="min-w-0 font-semibold wrap-anywhere">{title}</strong>
        {tags}
      </p>
      <div className="mt-1 space-y-1 text-sm text-slate-700 wrap-anywhere dark:text-slate-300">
        {children}
      </div>
    </div>
  )
}

export const RowActions = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap gap-2 sm:max-w-80 sm:justify-end">{children}</div>
)

/** The parts of a line that are there. */
export const joined = (...parts: ReadonlyArray<string | null | undefined | false>) =>
  parts.filter(Boolean).join(' · ')
