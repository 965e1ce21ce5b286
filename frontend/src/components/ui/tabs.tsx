import { cn } from '@/lib/cn'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router-dom'

/** Views of one page, each with an address of its own. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string
  tabs: ReadonlyArray<{
    name: string
    label: string
    to: string
    count?: number
    /** What the count says to those who do not see it. */
    note?: string
  }>
  current: string
}) {
  const nav = useRef<HTMLElement>(null)
  // Of a row that is wider than the screen the part is shown where one is.
  useEffect(() => {
    const shown = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (nav.current && shown)
      nav.current.scrollLeft = shown.offsetLeft - (nav.current.clientWidth - shown.offsetWidth) / 2
  }, [current])
  return (
    <nav
      ref={nav}
      aria-label={label}
      data-slot="tabs"
      className="relative -mx-4 mb-6 overflow-x-auto border-b border-slate-300 px-4 sm:mx-0 sm:px-0 dark:border-slate-700"
    >
      <ul className="flex gap-1">
        {tabs.map(({ name, label: word, to, count, note }) => (
          <li key={name}>
            <Link
              to={to}
              preventScrollReset
              aria-current={name === current ? 'page' : undefined}
              className={cn(
                'flex min-h-11 items-center gap-2 border-b-3 px-3 text-sm font-semibold whitespace-nowrap',
                name === current
                  ? 'border-brand text-brand dark:border-blue-300 dark:text-blue-200'
                  : 'border-transparent text-slate-700 hover:border-slate-400 dark:text-slate-300',
              )}
            >
              {word}
              {count !== undefined && count > 0 && (
                <span className="rounded-full bg-slate-200 px-2 py-0.5 text-xs text-slate-900 dark:bg-slate-700 dark:text-slate-100">
                  <span aria-hidden={note ? true : undefined}>{count}</span>
                  {note && <span className="sr-only">{note}</span>}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
