import { Button, buttonVariants } from '@/components/ui/button'
import { Empty } from '@/components/ui/empty'
import { Failure } from '@/components/ui/failure'
import { controlClass } from '@/components/ui/field'
import { cardClass } from '@/components/ui/page'
import { RowSkeletons } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { notify } from '@/lib/toast'
import type { Enums } from '@/types/database'
import { useQuery } from '@tanstack/react-query'
import { Mail, MessageCircle, MessageSquare, Phone } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useSearchParams } from 'react-router-dom'
import { Pagination } from '../../components/pagination'
import { ENUMS } from '../../labels'
import { date } from '../../money'
import { INBOX_PER_PAGE, inboxOptions, useEnquiryStatus, type InboxFilter, type Received } from '../api/inbox'
import { countedOptions } from '../api/mine'

type Status = Enums<'enquiry_status'>
const WORDS: Readonly<Record<Status, string>> = {
  new: 'inNew',
  read: 'inRead',
  responded: 'inResponded',
  closed: 'inClosed',
  spam: 'inSpam',
}
/** What an owner may make of an enquiry, with the word of the button. */
const NEXT: Readonly<Record<Status, ReadonlyArray<readonly [Status, string]>>> = {
  new: [
    ['read', 'reMarkRead'],
    ['responded', 'inMarkResponded'],
    ['spam', 'inMarkSpam'],
  ],
  read: [
    ['responded', 'inMarkResponded'],
    ['closed', 'inClose'],
    ['spam', 'inMarkSpam'],
  ],
  responded: [['closed', 'inClose']],
  closed: [['read', 'inReopen']],
  spam: [['read', 'inNotSpam']],
}

function readFilter(params: URLSearchParams): InboxFilter {
  const page = Number(params.get('page') ?? 1)
  const listing = params.get('listing') ?? ''
  return {
    status: ENUMS.enquiry_status.find((status) => status === params.get('status')) ?? '',
    listing: /^[0-9a-f-]{36}$/.test(listing) ? listing : '',
    page: Number.isInteger(page) && page > 0 ? Math.min(page, 10_000) : 1,
  }
}

function Entry({ enquiry }: { enquiry: Received }) {
  const { t } = useTranslation()
  const change = useEnquiryStatus()
  const { id, name, phone, email, message, status, created_at: at, property } = enquiry
  const set = (next: Status, word: string) =>
    change.mutate(
      { id, status: next },
      {
        onSuccess: () =>
          notify.success(t('inChanged', { status: t(WORDS[next]) }), {
            action: { label: t('prUndo'), onClick: () => change.mutate({ id, status }) },
          }),
        onError: (error) => notify.failure(error, word),
      },
    )
  const way =
    'inline-flex min-h-11 items-center gap-1.5 rounded-lg border border-slate-300 px-3 text-sm font-semibold hover:bg-slate-100 dark:border-slate-600 dark:hover:bg-slate-800'
  const subject = encodeURIComponent(property?.title ?? '')
  const greeting = encodeURIComponent(t('inGreeting', { name, title: property?.title ?? '' }))
  return (
    <li
      data-slot="enquiry"
      className={cn(
        cardClass,
        'p-5!',
        status === 'new' && 'border-l-4 border-l-brand! dark:border-l-blue-400!',
      )}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="font-semibold wrap-anywhere">{name}</h2>
        <p className="flex items-center gap-3 text-sm text-slate-700 dark:text-slate-300">
          <span
            className={cn(
              'rounded-full px-2.5 py-0.5 text-xs font-bold',
              status === 'new'
                ? 'bg-blue-200 text-blue-950 dark:bg-blue-900 dark:text-blue-100'
                : 'bg-slate-200 text-slate-900 dark:bg-slate-700 dark:text-slate-100',
            )}
          >
            {t(WORDS[status])}
          </span>
          <time dateTime={at}>{date(at)}</time>
        </p>
      </div>
      {property && (
        <Link
          to={`/property/${encodeURIComponent(property.slug)}`}
          className="inline-block py-1 text-sm underline underline-offset-2 wrap-anywhere"
        >
          {property.title}
        </Link>
      )}
      <p className="mt-2 whitespace-pre-line wrap-anywhere">{message}</p>
      <div className="mt-4 flex flex-wrap items-center gap-2">
        {phone && (
          <>
            <a href={`tel:${phone}`} className={way} aria-label={t('cwCallName', { name })}>
              <Phone aria-hidden className="size-4" /> {t('cwCall')}
            </a>
            <a
              href={`https://wa.me/${phone.replace(/\D/g, '')}?text=${greeting}`}
              target="_blank"
              rel="noopener noreferrer"
              className={way}
              aria-label={t('inWhatsAppName', { name })}
            >
              <MessageCircle aria-hidden className="size-4" /> WhatsApp
            </a>
          </>
        )}
        {email && (
          <a
            href={`mailto:${email}?subject=${subject}&body=${greeting}`}
            className={way}
            aria-label={t('cwEmailName', { name })}
          >
            <Mail aria-hidden className="size-4" /> {t('cwEmail')}
          </a>
        )}
        <span className="flex flex-wrap gap-2 sm:ml-auto">
          {NEXT[status].map(([next, word]) => (
            <Button
              key={next}
              variant="ghost"
              size="sm"
              className="min-h-11 sm:min-h-9"
              disabled={change.isPending}
              aria-label={`${t(word)}: ${name}`}
              onClick={() => set(next, word)}
            >
              {t(word)}
            </Button>
          ))}
        </span>
      </div>
    </li>
  )
}

/** All questions about one's listings; new ones come by themselves. */
export function Inbox({ user }: { user: string }) {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const filter = readFilter(params)
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = useQuery(
    inboxOptions(user, filter),
  )
  const { data: listings = [] } = useQuery(countedOptions(user))
  const set = (name: string, value: string) =>
    setParams((before) => {
      before.delete('page')
      if (value) before.set(name, value)
      else before.delete(name)
      return before
    })
  const narrowed = filter.status !== '' || filter.listing !== '' || filter.page > 1
  const addressOf = (page: number) => {
    const next = new URLSearchParams(params)
    next.set('page', String(page))
    return `/dashboard?${next.toString()}`
  }
  return (
    <section aria-label={t('daEnquiries')}>
      <div className="mb-6 flex flex-wrap gap-4">
        <div className="min-w-0 grow basis-48 sm:max-w-60">
          <label htmlFor="inbox-status" className="mb-1.5 block text-sm font-medium">
            {t('inStatus')}
          </label>
          <select
            id="inbox-status"
            value={filter.status}
            onChange={(event) => set('status', event.target.value)}
            className={controlClass}
          >
            <option value="">{t('inAll')}</option>
            {Object.entries(WORDS).map(([status, word]) => (
              <option key={status} value={status}>
                {t(word)}
              </option>
            ))}
          </select>
        </div>
        <div className="min-w-0 grow basis-48 sm:max-w-96">
          <label htmlFor="inbox-listing" className="mb-1.5 block text-sm font-medium">
            {t('inListing')}
          </label>
          <select
            id="inbox-listing"
            value={filter.listing}
            onChange={(event) => set('listing', event.target.value)}
            className={controlClass}
          >
            <option value="">{t('inAllListings')}</option>
            {listings
              .filter(({ enquiry_count: count, id }) => count > 0 || id === filter.listing)
              .map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </select>
        </div>
      </div>
      {error && !data ? (
        <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : isPending ? (
        <RowSkeletons count={4} lines={4} />
      ) : data && data.enquiries.length > 0 ? (
        <>
          <ul
            data-slot="inbox"
            aria-live="polite"
            aria-relevant="additions"
            aria-busy={isPlaceholderData}
            className="space-y-4"
          >
            {data.enquiries.map((enquiry) => (
              <Entry key={enquiry.id} enquiry={enquiry} />
            ))}
          </ul>
          <Pagination
            page={filter.page}
            pages={Math.ceil(data.total / INBOX_PER_PAGE)}
            to={addressOf}
            onGo={() => window.scrollTo({ top: 0 })}
          />
        </>
      ) : (
        <Empty icon={MessageSquare} text={t(narrowed ? 'inNoneMatch' : 'reNone')}>
          {narrowed ? (
            <Link to="/dashboard?tab=enquiries" className={buttonVariants({ variant: 'outline' })}>
              {t('clear')}
            </Link>
          ) : (
            <Link to={listings.length > 0 ? '/my-listings' : '/list-property'} className={buttonVariants()}>
              {t(listings.length > 0 ? 'mlTitle' : 'mlNew')}
            </Link>
          )}
        </Empty>
      )}
    </section>
  )
}
