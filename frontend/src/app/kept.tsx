import { buttonVariants } from '@/components/ui/button'
import { useShortlistCount } from '@/features/listings/use-shortlist'
import { cn } from '@/lib/cn'
import { useAppStore } from '@/stores/app-store'
import { Heart, Scale, type LucideIcon } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

function Counter({
  to,
  icon: Icon,
  name,
  count,
  slot,
}: {
  to: string
  icon: LucideIcon
  name: string
  count: number
  slot: string
}) {
  return (
    <Link
      to={to}
      data-slot={slot}
      aria-label={name}
      title={name}
      className={cn(buttonVariants({ variant: 'ghost', size: 'icon' }), 'relative shrink-0')}
    >
      <Icon aria-hidden className="size-5" />
      {count > 0 && (
        <span
          aria-hidden
          className="absolute top-0.5 right-0 min-w-4.5 rounded-full bg-brand px-1 text-center text-[0.6875rem] leading-4.5 font-bold text-white dark:bg-blue-300 dark:text-slate-950"
        >
          {count > 99 ? '99+' : count}
        </span>
      )}
    </Link>
  )
}

/** What is kept and what is compared, one step away from every page. */
export function Kept() {
  const { t } = useTranslation()
  const compared = useAppStore((state) => state.comparisonList.length)
  const shortlisted = useShortlistCount()
  return (
    <>
      <Counter
        to="/shortlisted-properties"
        slot="shortlist-count"
        icon={Heart}
        count={shortlisted}
        name={shortlisted ? t('shortlisted', { count: shortlisted }) : t('shortlist')}
      />
      <Counter
        to="/compare"
        slot="compare-count"
        icon={Scale}
        count={compared}
        name={compared ? t('comparing', { count: compared }) : t('compare')}
      />
    </>
  )
}
