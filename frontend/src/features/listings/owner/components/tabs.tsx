import { cn } from '@/lib/cn'
import { Link } from 'react-router-dom'

/** Views of one page, each with an address of its own. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string
  tabs: ReadonlyArray<{ name: string; label: string; to: string; count?: number }>
  current: string
}) {
  return (
    <nav
      aria-label={label}
      data-slot="tabs"
      className="-mx-4 mb-6 overflow-x-auto border-b border-slate-300 px-4 sm:mx-0 sm:px-0 dark:border-slate-700"
    >
      <ul className="flex gap-1">
        {tabs.map(({ name, label: word, to, count }) => (
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
                  {count}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
