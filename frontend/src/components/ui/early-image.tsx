import { cn } from '@/lib/cn'
import { NOTHING } from './stored-image'

/** The place of the first picture on a page that was made ahead: the page's first script shows it here while the rest is on its way. */
export function EarlyImage({ sizes, className }: { sizes: string; className: string }) {
  return (
    <img
      data-early
      alt=""
      src={NOTHING}
      sizes={sizes}
      fetchPriority="high"
      className={cn('bg-slate-200 object-cover dark:bg-slate-800', className)}
    />
  )
}
