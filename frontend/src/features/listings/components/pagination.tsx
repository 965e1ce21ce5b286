import { buttonVariants } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { pageNumbers } from '../filters'

type Props = { page: number; pages: number; to: (page: number) => string; onGo: () => void }

export function Pagination({ page, pages, to, onGo }: Props) {
  const { t } = useTranslation()
  if (pages <= 1) return null
  const step = buttonVariants({ variant: 'outline', className: 'min-w-11 px-3!' })
  return (
    <nav data-slot="pagination" aria-label={t('liPages')} className="mt-10">
      <ul className="flex flex-wrap items-center justify-center gap-2">
        {page > 1 && (
          <li>
            <Link rel="prev" to={to(page - 1)} onClick={onGo} className={step}>
              {t('liPrevious')}
            </Link>
          </li>
        )}
        {pageNumbers(page, pages).map((each, index) => (
          <li key={each ?? `gap-${index}`}>
            {each === null ? (
              <span aria-hidden>…</span>
            ) : (
              <Link
                to={to(each)}
                onClick={onGo}
                aria-label={t('liPage', { number: each })}
                aria-current={each === page ? 'page' : undefined}
                className={cn(step, each === page && 'border-brand! bg-brand! text-white!')}
              >
                {each}
              </Link>
            )}
          </li>
        ))}
        {page < pages && (
          <li>
            <Link rel="next" to={to(page + 1)} onClick={onGo} className={step}>
              {t('liNext')}
            </Link>
          </li>
        )}
      </ul>
    </nav>
  )
}
