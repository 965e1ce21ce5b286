import { cn } from '@/lib/cn'
import type { Enums } from '@/types/database'
import { useTranslation } from '@/i18n/use-translation'

const LOOKS: Readonly<Record<Enums<'property_status'> | 'expired', readonly [word: string, look: string]>> = {
  draft: ['osDraft', 'bg-slate-200 text-slate-900 dark:bg-slate-700 dark:text-slate-100'],
  pending: ['osPending', 'bg-amber-200 text-amber-950 dark:bg-amber-900 dark:text-amber-100'],
  active: ['osActive', 'bg-emerald-200 text-emerald-950 dark:bg-emerald-900 dark:text-emerald-100'],
  rejected: ['osRejected', 'bg-red-200 text-red-950 dark:bg-red-900 dark:text-red-100'],
  archived: ['osArchived', 'bg-slate-200 text-slate-900 dark:bg-slate-700 dark:text-slate-100'],
  expired: ['osExpired', 'bg-red-200 text-red-950 dark:bg-red-900 dark:text-red-100'],
}
export const statusWord = (status: keyof typeof LOOKS) => LOOKS[status][0]

export function StatusBadge({ status }: { status: keyof typeof LOOKS }) {
  const { t } = useTranslation()
  const [word, look] = LOOKS[status]
  return (
    <span
      data-slot="status-badge"
      className={cn('inline-block rounded-full px-2.5 py-1 text-xs font-bold whitespace-nowrap', look)}
    >
      {t(word)}
    </span>
  )
}
