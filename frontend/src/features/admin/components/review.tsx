import { readablePhone } from '@/lib/phone'
import { Button } from '@/components/ui/button'
import { Failure } from '@/components/ui/failure'
import { Gallery } from '@/components/ui/gallery'
import { factsOf } from '@/features/listings/facts'
import { amenitiesOf, AMENITIES, INTENTS, STATUSES, TYPES } from '@/features/listings/labels'
import { date, rupees, shortPrice } from '@/features/listings/money'
import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { duplicatesOptions, type Waiting } from '../api/queue'
import { Age } from './age'
import { joined, Tag } from './desk-list'
import { STATUS_TONES } from './listings'

/** Others at the same address or of the same name, beside what is looked at. */
function Duplicates({ property }: { property: Waiting }) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = useQuery(duplicatesOptions(property.id))
  // Nothing said would read as: there are none.
  if (error && !data)
    return (
      <section aria-label={t('adDuplicatesTitle')} className="mt-6">
        <h3 className="mb-2 font-semibold">{t('adDuplicatesTitle')}</h3>
        <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
      </section>
    )
  if (!data || data.length === 0) return null
  return (
    <section
      data-slot="duplicates"
      className="mt-6 rounded-2xl border border-amber-400 bg-amber-50 p-4 text-amber-950 dark:border-amber-700 dark:bg-amber-950 dark:text-amber-50"
    >
      <h3 className="font-semibold">{t('adDuplicates', { count: data.length })}</h3>
      <ul className="mt-3 grid gap-3 sm:grid-cols-2">
        {data.map((other) => (
          <li
            key={other.id}
            className="min-w-0 rounded-xl bg-white p-3 text-sm text-slate-900 dark:bg-slate-900 dark:text-slate-100"
          >
            <p className="flex flex-wrap items-center gap-2">
              <Tag tone={STATUS_TONES[other.status]}>{t(STATUSES[other.status])}</Tag>
              <Tag tone="wait">
                {other.same_address
                  ? t('adSameAddress')
                  : t('adSameTitle', { percent: Math.round(other.likeness * 100) })}
              </Tag>
            </p>
            <p className="mt-2 font-semibold wrap-anywhere">
              {other.status === 'active' ? (
                <Link to={`/property/${encodeURIComponent(other.slug)}`} className="underline">
                  {other.title}
                </Link>
              ) : (
                other.title
              )}
            </p>
            <p className="mt-1 wrap-anywhere">{joined(other.address, other.locality, other.owner_name)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** All that a decision needs, as the visitor would see it and with who listed it. */
export function Review({
  property,
  onApprove,
  onReject,
}: {
  property: Waiting
  onApprove: () => void
  onReject: () => void
}) {
  const { t } = useTranslation()
  const facts = factsOf(property, t)
  const amenities = amenitiesOf(property.amenities)
  const { owner } = property
  return (
    <article
      data-slot="review"
      className="min-w-0 rounded-2xl border border-slate-200 bg-white p-4 shadow-sm sm:p-6 dark:border-slate-800 dark:bg-slate-900"
    >
      <p className="flex flex-wrap items-center gap-2">
        <Age since={property.submitted_at} />
        <Tag tone="info">{t(TYPES[property.property_type])}</Tag>
        <Tag>{t(INTENTS[property.intent])}</Tag>
        {property.published_at && <Tag>{t('adOnceApproved')}</Tag>}
      </p>
      <h2 className="mt-3 text-2xl font-bold wrap-anywhere">{property.title}</h2>
      <p className="mt-1 text-slate-700 wrap-anywhere dark:text-slate-300">
        {[property.address, property.locality, property.city, property.state, property.pincode]
          .filter(Boolean)
          .join(', ')}
      </p>
      <p className="mt-2 text-xl font-bold">
        {property.price === null ? t('onRequest') : shortPrice(property.price)}
        {property.price !== null && property.price_per_sqft !== null && (
          <span className="ml-2 text-sm font-normal text-slate-700 dark:text-slate-300">
            {t('adPerSqFt', { price: rupees(property.price_per_sqft) })}
          </span>
        )}
      </p>
      <div className="mt-4">
        <Gallery images={property.images.map(({ url }) => url)} name={property.title ?? ''} />
      </div>
      <Duplicates property={property} />
      <h3 className="mt-6 text-lg font-semibold">{t('adDescription')}</h3>
      <p className="mt-2 whitespace-pre-line wrap-anywhere">{property.description}</p>
      <h3 className="mt-6 text-lg font-semibold">{t('adFacts')}</h3>
      <dl className="mt-2 grid gap-x-6 gap-y-2 sm:grid-cols-2 xl:grid-cols-3">
        {facts.map(({ key, label, value }) => (
          <div
            key={key}
            className="flex justify-between gap-4 border-b border-slate-200 py-1 dark:border-slate-700"
          >
            <dt className="text-slate-700 dark:text-slate-300">{label}</dt>
            <dd className="text-right font-medium wrap-anywhere">{value}</dd>
          </div>
        ))}
        {property.rera_number && (
          <div className="flex justify-between gap-4 border-b border-slate-200 py-1 dark:border-slate-700">
            <dt className="text-slate-700 dark:text-slate-300">RERA</dt>
            <dd className="text-right font-medium wrap-anywhere">{property.rera_number}</dd>
          </div>
        )}
      </dl>
      {amenities.length > 0 && (
        <p className="mt-3 text-sm">{amenities.map((name) => t(AMENITIES[name] ?? name)).join(' · ')}</p>
      )}
      <h3 className="mt-6 text-lg font-semibold">{t('adListedBy')}</h3>
      <p className="mt-2 wrap-anywhere">
        {joined(owner?.full_name, owner?.company, owner?.phone && readablePhone(owner.phone), owner?.email) ||
          '—'}
      </p>
      {property.submitted_at && (
        <p className="mt-1 text-sm text-slate-700 dark:text-slate-300">
          {t('adSubmitted', { date: date(property.submitted_at) })}
        </p>
      )}
      <div className="sticky bottom-0 -mx-4 mt-6 -mb-4 flex flex-wrap gap-3 rounded-b-2xl border-t border-slate-200 bg-white p-4 sm:-mx-6 sm:-mb-6 sm:px-6 dark:border-slate-800 dark:bg-slate-900">
        <Button size="lg" className="grow" onClick={onApprove} aria-keyshortcuts="A">
          <Check aria-hidden className="size-5" /> {t('adApprove')}
        </Button>
        <Button size="lg" variant="destructive" className="grow" onClick={onReject} aria-keyshortcuts="R">
          <X aria-hidden className="size-5" /> {t('adReject')}
        </Button>
      </div>
    </article>
  )
}
