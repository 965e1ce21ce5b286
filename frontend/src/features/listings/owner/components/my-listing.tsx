import { Button, buttonVariants } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { cardClass } from '@/components/ui/page'
import { StoredImage } from '@/components/ui/stored-image'
import { cn } from '@/lib/cn'
import { PLACEHOLDER } from '@/lib/images'
import { notify } from '@/lib/toast'
import { Eye, MapPin, MessageSquare } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useNavigate } from 'react-router-dom'
import { Price } from '../../components/price'
import type { OwnListing } from '../../form/api/listing'
import { TYPES } from '../../labels'
import { date } from '../../money'
import { actionsOf, isExpired, type Action } from '../actions'
import { useDeed } from '../api/mine'
import { StatusBadge } from './status-badge'

type Asked = Exclude<Action, 'view' | 'edit'>
const WORDS: Readonly<
  Record<Asked, { label: string; done: string; ask?: readonly [title: string, text: string] }>
> = {
  withdraw: { label: 'mlWithdraw', done: 'mlWithdrawn', ask: ['mlWithdrawSure', 'mlWithdrawText'] },
  archive: { label: 'mlArchive', done: 'mlArchived', ask: ['mlArchiveSure', 'mlArchiveText'] },
  publish: { label: 'mlPublish', done: 'mlSent' },
  renew: { label: 'mlRenew', done: 'mlSent', ask: ['mlRenewSure', 'mlRenewText'] },
  duplicate: { label: 'mlDuplicate', done: 'mlDuplicated' },
  delete: { label: 'mlDelete', done: 'mlDeleted', ask: ['mlDeleteSure', 'mlDeleteText'] },
}

/** A listing in its owner's list: how it stands, how it does, and what can be done with it. */
export function MyListing({ user, listing }: { user: string; listing: OwnListing }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const deed = useDeed(user)
  const [asked, setAsked] = useState<Asked | null>(null)
  const name = listing.title || t('mlUntitled', { type: t(TYPES[listing.property_type]) })
  const cover = listing.images.find(({ is_cover: first }) => first) ?? listing.images[0]
  const expired = isExpired(listing)
  const perform = (action: Asked) => {
    setAsked(null)
    if (!navigator.onLine) {
      notify.warning(t('owOffline'))
      return
    }
    deed.mutate(
      { action, listing, title: t('mlCopyOf', { title: name }) },
      {
        onSuccess: (copy) => {
          notify.success(t(WORDS[action].done))
          if (copy) void navigate(`/edit-listing/${copy.id}`)
        },
        onError: (error) => notify.failure(error, `listing-${action}`),
      },
    )
  }
  const ask = asked && WORDS[asked].ask
  return (
    <article
      data-slot="my-listing"
      aria-labelledby={`mine-${listing.id}`}
      className={cn(cardClass, 'flex flex-col gap-5 p-4! sm:flex-row sm:p-5!')}
    >
      <StoredImage
        source={cover?.url ?? PLACEHOLDER}
        alt=""
        width={240}
        height={180}
        sizes="(min-width: 640px) 192px, 100vw"
        loading="lazy"
        className="aspect-4/3 w-full shrink-0 rounded-xl sm:w-48"
      />
      <div className="min-w-0 grow">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <h2 id={`mine-${listing.id}`} className="min-w-0 text-lg font-semibold wrap-anywhere">
            {name}
          </h2>
          <StatusBadge status={expired ? 'expired' : listing.status} />
        </div>
        <p className="mt-1 font-medium">
          <Price property={listing} />
        </p>
        {(listing.locality || listing.city) && (
          <p className="mt-1 flex gap-1.5 text-sm text-slate-700 dark:text-slate-300">
            <MapPin aria-hidden className="mt-0.5 size-4 shrink-0" />
            {[listing.locality, listing.city].filter(Boolean).join(', ')}
          </p>
        )}
        <p className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm text-slate-700 dark:text-slate-300">
          <span className="flex items-center gap-1.5">
            <Eye aria-hidden className="size-4" /> {t('mlViews', { count: listing.view_count })}
          </span>
          <Link
            to={`/dashboard?tab=enquiries&listing=${listing.id}`}
            className="flex items-center gap-1.5 underline underline-offset-2"
          >
            <MessageSquare aria-hidden className="size-4" />
            {t('mlEnquiries', { count: listing.enquiry_count })}
          </Link>
          <span>{t('mlUpdated', { date: date(listing.updated_at) })}</span>
          {listing.status === 'active' && listing.expires_at && (
            <span>{t(expired ? 'mlExpired' : 'mlUntil', { date: date(listing.expires_at) })}</span>
          )}
          {listing.status === 'pending' && listing.submitted_at && (
            <span>{t('mlSubmitted', { date: date(listing.submitted_at) })}</span>
          )}
        </p>
        {listing.status === 'rejected' && listing.rejected_reason && (
          <p className="mt-3 rounded-lg bg-red-50 p-3 text-sm text-red-900 dark:bg-red-950 dark:text-red-100">
            <strong>{t('mlRejected')}:</strong> {listing.rejected_reason}
          </p>
        )}
        <div className="mt-4 flex flex-wrap gap-2">
          {actionsOf(listing).map((action) => {
            if (action === 'edit')
              return (
                <Link
                  key={action}
                  to={`/edit-listing/${listing.id}${listing.status === 'draft' ? '' : '?step=review'}`}
                  aria-label={t('mlActionOn', {
                    action: t(listing.status === 'draft' ? 'mlContinue' : 'mlEdit'),
                    title: name,
                  })}
                  className={buttonVariants({
                    variant:
                      listing.status === 'draft' || listing.status === 'rejected' ? 'default' : 'outline',
                    size: 'sm',
                    className: 'min-h-11 sm:min-h-9',
                  })}
                >
                  {t(listing.status === 'draft' ? 'mlContinue' : 'mlEdit')}
                </Link>
              )
            if (action === 'view')
              return (
                <Link
                  key={action}
                  to={`/property/${encodeURIComponent(listing.slug)}`}
                  aria-label={t('mlActionOn', { action: t('mlView'), title: name })}
                  className={buttonVariants({
                    variant: 'outline',
                    size: 'sm',
                    className: 'min-h-11 sm:min-h-9',
                  })}
                >
                  {t('mlView')}
                </Link>
              )
            return (
              <Button
                key={action}
                size="sm"
                variant={action === 'publish' || action === 'renew' ? 'default' : 'outline'}
                className={cn(
                  'min-h-11 sm:min-h-9',
                  action === 'delete' && 'text-red-800! dark:text-red-300!',
                )}
                disabled={deed.isPending}
                aria-label={t('mlActionOn', { action: t(WORDS[action].label), title: name })}
                onClick={() => (WORDS[action].ask ? setAsked(action) : perform(action))}
              >
                {t(WORDS[action].label)}
              </Button>
            )
          })}
        </div>
      </div>
      {asked && ask && (
        <Dialog title={t(ask[0])} onClose={() => setAsked(null)}>
          <p>{t(ask[1], { title: name })}</p>
          <div className="mt-6 flex flex-wrap justify-end gap-3">
            <Button variant="outline" onClick={() => setAsked(null)}>
              {t('prCancel')}
            </Button>
            <Button variant={asked === 'delete' ? 'destructive' : 'default'} onClick={() => perform(asked)}>
              {t(WORDS[asked].label)}
            </Button>
          </div>
        </Dialog>
      )}
    </article>
  )
}
