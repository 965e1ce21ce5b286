import { PAGE_SIZES } from '@/lib/images'
import { EarlyImage } from './early-image'
import { Spinner } from './spinner'

const bar = 'animate-pulse rounded bg-slate-200 dark:bg-slate-800'

/** A page about one thing while that is on its way: its names, then its picture, in the place where they come. */
export function DetailSkeleton() {
  return (
    <div data-slot="detail-skeleton" className="mx-auto min-h-[200vh] max-w-7xl px-4 pt-24 pb-16 sm:px-6">
      <div className="h-7">
        <Spinner size="sm" inline />
      </div>
      <div aria-hidden className="mt-4 mb-6 space-y-3">
        <div className={`h-8 w-4/5 ${bar}`} />
        <div className={`h-6 w-3/5 ${bar}`} />
        <div className={`h-11 w-2/3 ${bar}`} />
      </div>
      <div aria-hidden className="lg:w-[calc(100%-24rem)]">
        <EarlyImage sizes={PAGE_SIZES} className="h-[400px] w-full rounded-2xl" />
      </div>
    </div>
  )
}
