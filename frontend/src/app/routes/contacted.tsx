import { cardClass, Page } from '@/components/ui/page'
import { sentOptions } from '@/features/listings/api/kept'
import { KeptList } from '@/features/listings/components/kept-list'
import { ENQUIRY_STATUSES } from '@/features/listings/labels'
import { date } from '@/features/listings/money'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'

export function Component() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user?.id ?? '')
  const query = useQuery(sentOptions(user))
  return (
    <Page title={t('ceTitle')} noindex>
      <KeptList query={query} empty={t('ceEmpty')}>
        {(items) => (
          <ul className="space-y-4">
            {items.map(({ id, message, status, created_at: at, property }) => (
              <li key={id} className={cardClass}>
                <p className="flex flex-wrap items-baseline justify-between gap-x-4">
                  {property ? (
                    <Link
                      to={`/property/${encodeURIComponent(property.slug)}#contact`}
                      className="font-semibold underline wrap-anywhere"
                    >
                      {property.title}
                    </Link>
                  ) : (
                    <strong>{t('ceGone')}</strong>
                  )}
                  <span className="text-sm text-slate-700 dark:text-slate-300">{date(at)}</span>
                </p>
                <p className="mt-2 whitespace-pre-line wrap-anywhere">{message}</p>
                <p className="mt-2 text-sm font-medium">{t(ENQUIRY_STATUSES[status])}</p>
              </li>
            ))}
          </ul>
        )}
      </KeptList>
    </Page>
  )
}
