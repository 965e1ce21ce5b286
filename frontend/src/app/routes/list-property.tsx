import { Button, buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import { ownListingOptions } from '@/features/listings/form/api/listing'
import { ListingFormView } from '@/features/listings/form/components/listing-form'
import { Submitted } from '@/features/listings/form/components/submitted'
import { messageFor } from '@/lib/errors'
import { statusOf } from '@/lib/failure'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { startTransition, useCallback, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useNavigate } from 'react-router-dom'
import { SAME_PAGE } from '../same-page'

const notThere = (error: unknown) => statusOf(error) === 406 || statusOf(error) === 400

/** Lists a property, or with an id changes a listing of one's own. */
export function Component({ id = '' }: { id?: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const user = useAppStore((state) => state.user?.id ?? '')
  const { data, error, isPending, isFetching, refetch } = useQuery(ownListingOptions(user, id))
  const [submitted, setSubmitted] = useState(false)
  // A listing gets its address while somebody writes: its form stays, with the focus and every letter. At any other address is another form.
  const [form, setForm] = useState<{ id: string; made: string | null; count: number }>({
    id,
    made: null,
    count: 0,
  })
  if (form.id !== id) setForm({ id, made: null, count: id === form.made ? form.count : form.count + 1 })
  const created = useCallback(
    ({ id: made }: { id: string }, step: string) =>
      // Whoever is writing goes first.
      startTransition(() => {
        setForm((before) => ({ ...before, made }))
        void navigate(`/edit-listing/${made}?step=${step}`, { replace: true, state: SAME_PAGE })
      }),
    [navigate],
  )
  if (submitted)
    return (
      <Page title={t('doTitle')} lead={t('doLead')} noindex>
        <Submitted />
      </Page>
    )
  if (id && isPending)
    return (
      <Page title={t('lfEditTitle')} noindex>
        <Skeleton>
          <Bar className="h-12 w-full" />
          <div className="mt-8 grid gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
            <Bar className="h-[36rem] w-full rounded-2xl" />
            <Bar className="h-96 w-full rounded-2xl max-lg:hidden" />
          </div>
        </Skeleton>
      </Page>
    )
  if (id && !data) {
    const missing = notThere(error)
    return (
      <Page
        title={t(missing ? 'lfMissing' : 'prFailed')}
        lead={missing ? t('lfMissingText') : messageFor(error)}
        noindex
        narrow
      >
        <div className="flex flex-wrap gap-3">
          {!missing && (
            <Button disabled={isFetching} onClick={() => void refetch()}>
              {t('cwRetry')}
            </Button>
          )}
          <Link to="/my-listings" className={buttonVariants({ variant: missing ? 'default' : 'outline' })}>
            {t('doMine')}
          </Link>
        </div>
      </Page>
    )
  }
  const listing = data ?? null
  const isNew = !listing || listing.status === 'draft'
  return (
    <Page title={t(isNew ? 'lfNewTitle' : 'lfEditTitle')} lead={isNew ? t('lfNewLead') : undefined} noindex>
      {listing?.status === 'rejected' && listing.rejected_reason && (
        <div
          role="note"
          className="mb-6 rounded-xl border border-red-300 bg-red-50 p-4 text-red-900 dark:border-red-800 dark:bg-red-950 dark:text-red-100"
        >
          <p className="font-semibold">{t('mlRejected')}</p>
          <p className="mt-1">{listing.rejected_reason}</p>
        </div>
      )}
      {listing?.status === 'active' && (
        <p className="mb-6 rounded-xl bg-amber-100 p-4 text-amber-950 dark:bg-amber-950 dark:text-amber-100">
          {t('lfActiveNote')}
        </p>
      )}
      {user && (
        <ListingFormView
          key={form.count}
          user={user}
          listing={listing}
          onCreated={created}
          onSubmitted={(sent) => (sent ? setSubmitted(true) : void navigate('/my-listings'))}
        />
      )}
    </Page>
  )
}
