import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** Where nothing is yet: what would be here, and the way to it. A title is a heading of its own. */
export function Empty({
  icon: Icon,
  title,
  text,
  children,
}: {
  icon: LucideIcon
  title?: string
  text: string
  children?: ReactNode
}) {
  return (
    <div
      data-slot="empty"
      className="flex flex-col items-center rounded-2xl border border-dashed border-slate-300 bg-white px-6 py-14 text-center dark:border-slate-700 dark:bg-slate-900"
    >
      <span className="mb-4 flex size-14 items-center justify-center rounded-full bg-blue-50 text-brand dark:bg-blue-950 dark:text-blue-200">
        <Icon aria-hidden className="size-7" />
      </span>
      {title && <h2 className="mb-2 text-2xl font-semibold">{title}</h2>}
      <p className="max-w-md text-lg text-balance">{text}</p>
      {children && <div className="mt-6 flex flex-wrap justify-center gap-3">{children}</div>}
    </div>
  )
}
