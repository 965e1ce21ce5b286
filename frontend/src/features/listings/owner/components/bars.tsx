import { useTranslation } from '@/i18n/use-translation'
import { date } from '../../money'

type Day = { at: string; count: number }

/** A bar for each day; read as a sentence by whoever cannot see it. */
export function Bars({ days, label }: { days: readonly Day[]; label: string }) {
  const { t } = useTranslation()
  const most = Math.max(1, ...days.map(({ count }) => count))
  const width = 100 / days.length
  const [first, last] = [days[0], days.at(-1)]
  return (
    <figure data-slot="bars">
      <svg
        viewBox="0 0 100 32"
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        className="h-32 w-full text-brand dark:text-blue-400"
      >
        <line x1="0" x2="100" y1="31.75" y2="31.75" className="stroke-slate-400" strokeWidth="0.25" />
        {days.map(({ at, count }, index) => (
          <rect
            key={at}
            x={index * width + width * 0.15}
            width={width * 0.7}
            y={31.5 - (count / most) * 30}
            height={Math.max((count / most) * 30, count ? 1 : 0)}
            fill="currentColor"
          >
            <title>{t('daOnDay', { date: date(at), count })}</title>
          </rect>
        ))}
      </svg>
      <figcaption
        aria-hidden
        className="mt-1 flex justify-between text-xs text-slate-700 dark:text-slate-300"
      >
        <span>{first && date(first.at)}</span>
        <span>{last && date(last.at)}</span>
      </figcaption>
    </figure>
  )
}
