import { buttonVariants } from '@/components/ui/button'
import { Failure } from '@/components/ui/failure'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { Mail, Phone } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { receivedOptions, useMarkRead } from '../api/received-enquiries'
import { date } from '../money'

/** The latest questions about the user's listings, and how to answer them. */
export function ReceivedEnquiries() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user?.id ?? '')
  const { data, error, isFetching, refetch } = useQuery(receivedOptions(user))
  const read = useMarkRead()
  if (!data)
    return error ? (
      <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <Skeleton className="space-y-8">
        {[0, 1, 2].map((row) => (
          <div key={row} className="space-y-2.5">
            <Bar className="h-5 w-40" />
            <Bar className="h-4 w-3/5" />
            <Bar className="h-4 w-4/5" />
            <Bar className="h-5 w-52" />
          </div>
        ))}
      </Skeleton>
    )
  if (data.length === 0)
    return (
      <>
        <p>{t('reNone')}</p>
        <Link to="/list-property" className={buttonVariants({ variant: 'outline', className: 'mt-4' })}>
          {t('listProperty')}
        </Link>
      </>
    )
  const action = 'inline-flex min-h-11 items-center gap-1.5 text-sm font-medium hover:underline'
  return (
    <ul data-slot="received-enquiries" className="divide-y divide-slate-200 dark:divide-slate-800">
      {data.map(({ id, name, phone, email, message, status, created_at: at, property }) => (
        <li key={id} className="py-4 first:pt-0 last:pb-0">
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <strong className={cn('wrap-anywhere', status !== 'new' && 'font-medium')}>{name}</strong>
            <span className="text-sm text-slate-700 dark:text-slate-300">{date(at)}</span>
          </p>
          {property && (
            <Link
              to={`/property/${encodeURIComponent(property.slug)}`}
              className="inline-block py-1 text-sm underline wrap-anywhere"
            >
              {property.title}
            </Link>
          )}
          <p className="mt-1 whitespace-pre-line wrap-anywhere">{message}</p>
          <div className="flex flex-wrap items-center gap-x-5">
            {phone && (
              <a href={`tel:${phone}`} className={action} aria-label={t('cwCallName', { name })}>
                <Phone aria-hidden className="size-4" /> {t('cwCall')}
              </a>
            )}
            {email && (
              <a href={`mailto:${email}`} className={action} aria-label={t('cwEmailName', { name })}>
                <Mail aria-hidden className="size-4" /> {t('cwEmail')}
              </a>
            )}
            {status === 'new' && (
              <button
                type="button"
                className={action}
                aria-label={t('reMarkReadName', { name })}
                disabled={read.isPending}
                onClick={() =>
                  read.mutate(id, { onError: (failure) => notify.failure(failure, 'mark-read') })
                }
              >
                {t('reMarkRead')}
              </button>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}
