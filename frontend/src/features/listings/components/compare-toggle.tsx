import { cn } from '@/lib/cn'
import { useAppStore } from '@/stores/app-store'
import { Scale } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { MOST } from '../compare'

/** Puts a property beside others, or takes it away again. With three chosen there is no room for another. */
export function CompareToggle({ id, name, className }: { id: string; name: string; className?: string }) {
  const { t } = useTranslation()
  const chosen = useAppStore((state) => state.comparisonList.some((item) => item.id === id))
  const full = useAppStore((state) => state.comparisonList.length >= MOST)
  const toggle = () => {
    const { addToComparison, removeFromComparison } = useAppStore.getState()
    if (chosen) removeFromComparison(id)
    else addToComparison({ id })
  }
  return (
    <button
      data-slot="compare-toggle"
      type="button"
      aria-pressed={chosen}
      aria-label={t('cmToggle', { name })}
      disabled={!chosen && full}
      title={!chosen && full ? t('cmFull') : undefined}
      onClick={toggle}
      className={cn(
        'flex items-center gap-1.5 disabled:cursor-not-allowed disabled:opacity-60',
        chosen && 'text-brand dark:text-blue-300',
        className,
      )}
    >
      <Scale aria-hidden className="size-4" /> {t(chosen ? 'cmChosen' : 'cmAdd')}
    </button>
  )
}
