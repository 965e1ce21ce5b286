import { buttonVariants } from '@/components/ui/button'
import { cardClass } from '@/components/ui/page'
import type { Enums } from '@/types/database'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { statusWord } from './status-badge'

const MOST = 5

type Listed = { id: string; title: string | null; status: Enums<'property_status'> }

/** What waits for its owner: listings that were sent back first, then drafts. */
export function ToDo({ listings }: { listings: readonly Listed[] }) {
  const { t } = useTranslation()
  const waiting = (['rejected', 'draft'] as const)
    .flatMap((status) => listings.filter((listing) => listing.status === status))
    .slice(0, MOST)
  if (waiting.length === 0) return null
  return (
    <section className={cardClass}>
      <h2 className="text-xl font-semibold">{t('daToDo')}</h2>
      <ul className="mt-3 divide-y divide-slate-200 dark:divide-slate-800">
        {waiting.map(({ id, title, status }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-3 py-3">
            <span className="min-w-0 wrap-anywhere">
              {title || t('daUntitled')}
              <span className="block text-sm text-slate-700 dark:text-slate-300">
                {t(statusWord(status))}
              </span>
            </span>
            <Link
              to={`/edit-listing/${id}`}
              aria-label={t('mlActionOn', { action: t('mlContinue'), title: title || t('daUntitled') })}
              className={buttonVariants({
                variant: 'outline',
                size: 'sm',
                className: 'min-h-11 sm:min-h-9',
              })}
            >
              {t('mlContinue')}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
