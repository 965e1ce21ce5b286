import { cn } from '@/lib/cn'
import { useTranslation } from '@/i18n/use-translation'
import type { ReactNode } from 'react'

/** A word, a line or a picture that is on its way. */
export const Bar = ({ className }: { className?: string }) => (
  <span
    aria-hidden
    className={cn('block max-w-full animate-pulse rounded bg-slate-200 dark:bg-slate-800', className)}
  />
)

/** The shape of what is on its way: seen as bars, and said in a word. */
export function Skeleton({ children, className }: { children: ReactNode; className?: string }) {
  const { t } = useTranslation()
  return (
    <div data-slot="skeleton">
      <p role="status" className="sr-only">
        {t('loading')}
      </p>
      <div aria-hidden className={className}>
        {children}
      </div>
    </div>
  )
}

const rowClass =
  'flex flex-col gap-5 rounded-2xl border border-slate-200 bg-white p-5 shadow-sm sm:flex-row dark:border-slate-800 dark:bg-slate-900'

/** Rows of a list: a name, as many lines below it as the rows that come have, and beside them a picture, if they have one. */
export function RowSkeletons({
  count = 6,
  lines = 2,
  picture,
  className,
}: {
  count?: number
  lines?: number
  /** The measures of a picture in front. */
  picture?: string
  className?: string
}) {
  return (
    <Skeleton className={cn('space-y-4', className)}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={rowClass}>
          {picture && <Bar className={cn('shrink-0 rounded-xl', picture)} />}
          <div className="min-w-0 grow">
            <Bar className={cn('h-5', index % 2 ? 'w-56' : 'w-72')} />
            {Array.from({ length: lines }, (_line, line) => (
              <Bar key={line} className={cn('mt-2.5 h-4', line % 2 ? 'w-3/5' : 'w-4/5')} />
            ))}
          </div>
        </div>
      ))}
    </Skeleton>
  )
}
