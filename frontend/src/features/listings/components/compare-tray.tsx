import { Button, buttonVariants } from '@/components/ui/button'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { Scale, X } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { comparedOptions } from '../api/get-compared'
import { compareAddress, MOST } from '../compare'

/** Names what is to be compared, as long as something is. */
export function CompareTray() {
  const { t } = useTranslation()
  const { comparisonList: list, removeFromComparison, clearComparison } = useAppStore()
  const ids = list.map(({ id }) => id)
  const { data = [] } = useQuery(comparedOptions(ids))
  if (ids.length === 0) return null
  return (
    <section
      data-slot="compare-tray"
      aria-label={t('cmTray')}
      className="sticky bottom-20 z-20 mt-8 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-2xl sm:gap-x-4 sm:gap-y-2 border border-slate-300 bg-white p-3 shadow-xl md:bottom-4 dark:border-slate-600 dark:bg-slate-900"
    >
      <p role="status" className="flex items-center gap-2 font-semibold">
        <Scale aria-hidden className="size-5 text-brand max-[400px]:hidden dark:text-blue-300" />
        {t('cmOf', { count: ids.length, most: MOST })}
      </p>
      <ul className="flex min-w-0 grow gap-2 max-sm:hidden">
        {data
          .filter(({ id }) => ids.includes(id))
          .map(({ id, title }) => (
            <li
              key={id}
              className="flex max-w-64 min-w-0 items-center rounded-full bg-slate-100 pl-3 text-sm dark:bg-slate-800"
            >
              <span className="truncate">{title}</span>
              <button
                type="button"
                aria-label={t('cmRemove', { name: title })}
                onClick={() => removeFromComparison(id)}
                className="flex size-9 shrink-0 items-center justify-center"
              >
                <X aria-hidden className="size-4" />
              </button>
            </li>
          ))}
      </ul>
      <div className="ml-auto flex gap-2">
        <Button size="sm" variant="ghost" className="max-sm:px-2!" onClick={clearComparison}>
          {t('cmClear')}
        </Button>
        <Link to={compareAddress(ids)} className={buttonVariants({ size: 'sm' })}>
          {t('cmAdd')}
        </Link>
      </div>
      <p className="w-full truncate text-sm text-slate-700 sm:hidden dark:text-slate-300">
        {data
          .filter(({ id }) => ids.includes(id))
          .map(({ title }) => title)
          .join(' · ')}
      </p>
      {ids.length === 1 && (
        <p className="w-full text-sm text-slate-700 max-sm:hidden dark:text-slate-300">{t('cmOneMore')}</p>
      )}
    </section>
  )
}
