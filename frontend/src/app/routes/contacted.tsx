import { cardClass, Page } from '@/components/ui/page'
import { RowSkeletons } from '@/components/ui/skeleton'
import { contactsOptions, sentOptions } from '@/features/listings/api/kept'
import { KeptList } from '@/features/listings/components/kept-list'
import { ENQUIRY_STATUSES } from '@/features/listings/labels'
import { date } from '@/features/listings/money'
import { readablePhone } from '@/lib/phone'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { Mail, Phone, MessagesSquare } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

export function Component() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user?.id ?? '')
  const query = useQuery(sentOptions(user))
  const { data: contacts = [] } = useQuery(contactsOptions(user))
  const way = 'inline-flex min-h-11 items-center gap-1.5 text-sm font-medium break-all hover:underline'
  return (
    <Page title={t('ceTitle')} noindex>
      <KeptList
        query={query}
        icon={MessagesSquare}
        empty={t('ceEmpty')}
        skeleton={<RowSkeletons count={4} lines={3} />}
      >
        {(items) => (
          <ul className="space-y-4">
            {items.map(({ id, message, status, created_at: at, property, property_id: about }) => (
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
                {contacts
                  .filter(({ property_id: asked }) => asked === about)
                  .map(({ property_id: asked, owner_name: name, owner_phone: phone, owner_email: email }) => (
                    <p key={asked} className="mt-1 flex flex-wrap items-center gap-x-5">
                      <span className="text-sm">{t('ceOwner', { name: name || t('prOwner') })}</span>
                      {phone && (
                        <a href={`tel:${phone}`} className={way}>
                          <Phone aria-hidden className="size-4 shrink-0" /> {readablePhone(phone)}
                        </a>
                      )}
                      {email && (
                        <a href={`mailto:${email}`} className={way}>
                          <Mail aria-hidden className="size-4 shrink-0" /> {email}
                        </a>
                      )}
                    </p>
                  ))}
              </li>
            ))}
          </ul>
        )}
      </KeptList>
    </Page>
  )
}
