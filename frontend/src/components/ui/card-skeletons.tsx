import { cn } from '@/lib/cn'
import { CARD_SIZES } from '@/lib/images'
import { EarlyImage } from './early-image'

const WIDTHS = ['w-1/2', 'w-5/6', 'w-2/3', 'w-3/4']

/** Cards as large as those that come. */
export function CardSkeletons({ count = 6, className = 'mt-6' }: { count?: number; className?: string }) {
  return (
    <div
      aria-hidden
      data-slot="skeletons"
      className={cn('grid gap-6 sm:grid-cols-2 lg:grid-cols-3', className)}
    >
      {Array.from({ length: count }, (_, index) => (
        <div
          key={index}
          className="overflow-hidden rounded-2xl border border-slate-200 bg-white dark:border-slate-800 dark:bg-slate-900"
        >
          {index === 0 ? (
            <EarlyImage sizes={CARD_SIZES} className="aspect-4/3 w-full" />
          ) : (
            <div className="aspect-4/3 bg-slate-200 dark:bg-slate-800" />
          )}
          <div className="animate-pulse space-y-3 p-5">
            {WIDTHS.map((width) => (
              <div key={width} className={`h-5 rounded bg-slate-200 dark:bg-slate-800 ${width}`} />
            ))}
            <div className="h-14" />
          </div>
        </div>
      ))}
    </div>
  )
}
