import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { countOptions } from '../api/search'
import { NONE, type Filters } from '../filters'
import { FilterFields, type Counts } from './filter-fields'

/** All filters at once: the whole of a small screen, the side of a large one. Nothing counts until it is shown. */
export function FilterSheet({
  filters,
  counts,
  onApply,
  onClose,
}: {
  filters: Filters
  counts: Counts
  onApply: (filters: Filters) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [draft, setDraft] = useState(filters)
  const { data: count, isPlaceholderData } = useQuery({
    ...countOptions(useDeferredValue(draft)),
    placeholderData: (before: number | undefined) => before,
  })
  useEffect(() => dialog.current?.showModal(), [])
  const show = count === undefined ? t('liShow') : t('liShowCount', { count })
  return (
    <dialog
      ref={dialog}
      data-slot="filter-sheet"
      aria-labelledby={id}
      onClose={onClose}
      className="m-0 ml-auto h-dvh max-h-none w-full max-w-none flex-col bg-white p-0 text-slate-900 backdrop:bg-black/60 open:flex sm:w-[32rem] dark:bg-slate-900 dark:text-slate-100"
    >
      <div className="flex items-center justify-between border-b border-slate-200 px-4 py-2 dark:border-slate-800">
        <h2 id={id} className="text-lg font-semibold">
          {t('cwFilters')}
        </h2>
        <Button variant="ghost" size="icon" aria-label={t('prClose')} onClick={() => dialog.current?.close()}>
          <X aria-hidden />
        </Button>
      </div>
      <div className="grow overflow-y-auto overscroll-contain p-4">
        <FilterFields
          filters={draft}
          counts={counts}
          onChange={(change) => setDraft((before) => ({ ...before, ...change, page: 1 }))}
        />
      </div>
      <div className="flex gap-3 border-t border-slate-200 p-3 dark:border-slate-800">
        <Button variant="outline" onClick={() => setDraft({ ...NONE, q: draft.q, sort: draft.sort })}>
          {t('clear')}
        </Button>
        <Button
          className={cn('grow', isPlaceholderData && 'opacity-80')}
          onClick={() => {
            onApply(draft)
            dialog.current?.close()
          }}
        >
          {show}
        </Button>
        <p role="status" className="sr-only">
          {show}
        </p>
      </div>
    </dialog>
  )
}
