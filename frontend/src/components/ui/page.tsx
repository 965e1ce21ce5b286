import { cn } from '@/lib/cn'
import { noteFacts } from '@/lib/page-facts'
import { useEffect, type ReactNode } from 'react'

/** Title for the tab, one h1 that takes the focus after navigation, and the page's column. */
export function Page({
  title,
  lead,
  children,
  noindex = false,
  narrow = false,
}: {
  title: string
  lead?: string
  children?: ReactNode
  noindex?: boolean
  narrow?: boolean
}) {
  usePageMeta(title, noindex)
  return (
    <div
      data-slot="page"
      className={cn('mx-auto px-4 pt-28 pb-16 sm:px-6', narrow ? 'max-w-3xl' : 'max-w-7xl')}
    >
      <h1 tabIndex={-1} className="text-3xl font-bold tracking-tight text-balance sm:text-4xl">
        {title}
      </h1>
      {lead && <p className="mt-3 max-w-2xl text-lg text-slate-700 dark:text-slate-300">{lead}</p>}
      <div className="mt-8">{children}</div>
    </div>
  )
}

export function usePageMeta(title: string, noindex = false) {
  noteFacts({ title, noindex })
  useEffect(() => {
    document.title = `${title} | Nilam`
    if (!noindex) return
    const meta = document.createElement('meta')
    meta.name = 'robots'
    meta.content = 'noindex'
    document.head.append(meta)
    return () => meta.remove()
  }, [title, noindex])
}

export const cardClass =
  'rounded-2xl border border-slate-200 bg-white p-6 shadow-sm dark:border-slate-800 dark:bg-slate-900'
