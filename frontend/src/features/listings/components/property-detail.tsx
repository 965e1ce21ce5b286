import { Breadcrumb } from '@/components/ui/breadcrumb'
import { buttonVariants } from '@/components/ui/button'
import { Gallery } from '@/components/ui/gallery'
import { MapFrame } from '@/components/ui/map-frame'
import { cardClass, usePageMeta } from '@/components/ui/page'
import { Section } from '@/components/ui/section'
import { webLink } from '@/lib/images'
import { breadcrumbs, useSeo } from '@/lib/seo'
import { useAppStore } from '@/stores/app-store'
import { Check, ExternalLink, MapPin } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import type { DetailedProperty } from '../api/get-property'
import { recordView } from '../api/record-view'
import { keepGuestView } from '../guest-views'
import { CATEGORIES, categoryPath } from '../categories'
import { factsOf, termsOf, type Fact } from '../facts'
import { AMENITIES, amenitiesOf, INTENTS, OWNERSHIPS, POSSESSIONS, STATUSES, TYPES } from '../labels'
import { date, mainArea, number, rupees } from '../money'
import { propertyData } from '../structured-data'
import { ExplainedBadges } from './badges'
import { ContactCard } from './contact-card'
import { LoanHelper, MonthlyCost } from './cost'
import { Lightbox } from './lightbox'
import { Price, Rate } from './price'
import { PropertyActions } from './property-actions'
import { Similar } from './similar'
import { Viewers } from './viewers'

function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid gap-x-6 gap-y-4 min-[360px]:grid-cols-2 sm:grid-cols-3">
      {facts.map(({ key, label, value, title }) => (
        <div key={key} title={title} className="min-w-0 wrap-anywhere">
          <dt className="text-sm text-slate-700 dark:text-slate-300">{label}</dt>
          <dd className="font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function PriceCard({ property }: { property: DetailedProperty }) {
  const { t } = useTranslation()
  const terms = termsOf(property, t)
  return (
    <section data-slot="price-card" className={cardClass}>
      <h2 className="text-sm font-medium text-slate-700 dark:text-slate-300">
        {t(property.intent === 'lease' ? 'prRent' : 'prPrice')}
      </h2>
      <p className="text-3xl font-bold wrap-anywhere">
        <Price property={property} />
      </p>
      <p className="text-sm">
        {property.price === null ? t('prOnRequestText') : <Rate property={property} />}
      </p>
      {property.price !== null && property.price_negotiable && (
        <p className="mt-1 text-sm font-medium">{t('prNegotiable')}</p>
      )}
      {terms.length > 0 && (
        <dl className="mt-4 border-t border-slate-200 pt-3 text-sm dark:border-slate-800">
          {terms.map(({ key, label, value }) => (
            <div key={key} className="flex justify-between gap-4 py-1">
              <dt>{label}</dt>
              <dd className="text-right font-medium">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

function Legal({ property }: { property: DetailedProperty }) {
  const { t } = useTranslation()
  const site = webLink(property.rera_url)
  const facts: Fact[] = []
  if (property.ownership)
    facts.push({ key: 'ownership', label: t('leOwnership'), value: t(OWNERSHIPS[property.ownership]) })
  if (property.possession)
    facts.push({ key: 'possession', label: t('lePossession'), value: t(POSSESSIONS[property.possession]) })
  if (property.occupied)
    facts.push({
      key: 'tenant',
      label: t('leTenant'),
      value: property.tenant_lease_end
        ? t('leTenantUntil', { date: date(property.tenant_lease_end) })
        : t('prYes'),
    })
  if (property.current_rent !== null)
    facts.push({
      key: 'rent',
      label: t('leCurrentRent'),
      value: `${rupees(property.current_rent)}${t('prPerMonth')}`,
    })
  return (
    <Section title={t('leTitle')}>
      <div className={cardClass}>
        {facts.length > 0 && <Facts facts={facts} />}
        <p className="mt-4 border-t border-slate-200 pt-4 wrap-anywhere first:mt-0 first:border-0 first:pt-0 dark:border-slate-800">
          {property.rera_number ? (
            <>
              {t('leRera')}: <strong>{property.rera_number}</strong>
            </>
          ) : (
            t('leNoRera')
          )}
        </p>
        {site && (
          <a
            href={site}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonVariants({ variant: 'link', className: 'px-0!' })}
          >
            {t('leReraLink')} <ExternalLink aria-hidden className="size-4" />
          </a>
        )}
      </div>
    </Section>
  )
}

/** On small screens the price and the way to the owner stay within reach of the thumb. */
function ContactBar({ property }: { property: DetailedProperty }) {
  const { t } = useTranslation()
  return (
    <div
      data-slot="contact-bar"
      className="sticky bottom-0 z-30 -mx-4 mt-10 flex items-center gap-3 border-t border-slate-200 bg-white p-3 sm:-mx-6 lg:hidden dark:border-slate-800 dark:bg-slate-950 print:hidden"
    >
      <p className="min-w-0 flex-1 font-bold wrap-anywhere">
        <Price property={property} />
      </p>
      <a
        href="#contact"
        className={buttonVariants({
          className: 'h-auto! min-h-11 max-w-3/5 py-2 text-center whitespace-normal!',
        })}
      >
        {t('prContactOwner')}
      </a>
    </div>
  )
}

export function PropertyDetail({ property, onSignIn }: { property: DetailedProperty; onSignIn: () => void }) {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user)
  const [enlarged, setEnlarged] = useState<number | null>(null)
  const title = property.title ?? t(TYPES[property.property_type])
  const path = `/property/${encodeURIComponent(property.slug)}`
  const exact = property.location_precision === 'exact'
  const place = [property.sub_locality, property.locality, property.city, property.state].filter(Boolean)
  const address = [exact && property.address, ...place, exact && property.pincode].filter(Boolean).join(', ')
  const images = property.images.map(({ url }) => url)
  const alts = property.images.map(
    ({ alt }, index) => alt ?? t('cwImageOf', { name: title, index: index + 1, count: images.length }),
  )
  const amenities = amenitiesOf(property.amenities)
  const area = mainArea(property)
  const category = CATEGORIES[property.property_type]
  const steps = [
    [t('home'), '/'],
    [t('commercial'), '/commercial'],
    [t(category.title), categoryPath(property.property_type)],
    [title, path],
  ] as const
  const isPublic = property.status === 'active'
  usePageMeta(title, !isPublic)
  useSeo({
    title,
    description: t('prDescription', {
      kind: t(TYPES[property.property_type]),
      intent: t(INTENTS[property.intent]),
      place: [property.locality, property.city].filter(Boolean).join(', '),
      area: area === null ? '' : t('prSqFt', { area: number(area) }),
    }),
    path,
    image: images[0],
    data: [propertyData(property, path), breadcrumbs(steps)],
  })
  const viewer = user?.id
  useEffect(() => {
    if (!viewer) keepGuestView(property.id)
    else if (viewer !== property.owner_id) void recordView(property.id)
  }, [viewer, property.id, property.owner_id])

  return (
    <div className="mx-auto max-w-7xl px-4 pt-24 pb-16 sm:px-6">
      <Breadcrumb steps={steps} />
      {!isPublic && (
        <p role="status" className="mt-4 rounded-lg bg-amber-100 p-3 text-amber-950">
          {t('prNotPublic', { status: t(STATUSES[property.status]) })}
        </p>
      )}
      <div className="mt-4 mb-6 flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <ExplainedBadges property={property} />
          <h1
            tabIndex={-1}
            className="mt-2 text-2xl font-bold tracking-tight text-balance wrap-anywhere sm:text-4xl"
          >
            {title}
          </h1>
          <p className="mt-2 flex gap-2 text-slate-700 dark:text-slate-300">
            <MapPin aria-hidden className="mt-0.5 size-5 shrink-0" /> {address}
          </p>
          <Viewers id={property.id} />
        </div>
        <PropertyActions property={property} title={title} onSignIn={onSignIn} />
      </div>
      <div className="grid grid-cols-1 gap-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0">
          <Gallery images={images} name={title} enlarge={{ label: t('prEnlarge'), open: setEnlarged }} />
          <div className="mt-6 lg:hidden">
            <PriceCard property={property} />
          </div>
          <Section title={t('prFacts')}>
            <div className={cardClass}>
              <Facts facts={factsOf(property, t)} />
            </div>
          </Section>
          {property.description && (
            <Section title={t('cwAbout')}>
              <p className="max-w-prose leading-relaxed whitespace-pre-line wrap-anywhere">
                {property.description}
              </p>
            </Section>
          )}
          {property.intent === 'lease' && property.price !== null && (
            <Section title={t('ctTitle')}>
              <div className={cardClass}>
                <MonthlyCost property={property} />
              </div>
            </Section>
          )}
          {property.intent === 'sale' && property.price !== null && (
            <Section title={t('loTitle')}>
              <div className={cardClass}>
                <LoanHelper property={property} />
              </div>
            </Section>
          )}
          {amenities.length > 0 && (
            <Section title={t('cwAmenities')}>
              <ul className="grid gap-3 min-[360px]:grid-cols-2 sm:grid-cols-3">
                {amenities.map((key) => (
                  <li key={key} className="flex items-center gap-2">
                    <Check aria-hidden className="size-4 shrink-0 text-emerald-700 dark:text-emerald-300" />{' '}
                    {t(AMENITIES[key] ?? key)}
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Legal property={property} />
          <Section title={t('cwLocation')}>
            <p>{address}</p>
            {!exact && <p className="mt-1 text-sm">{t('prApproximate')}</p>}
            {property.lat !== null && property.lng !== null && (
              <MapFrame name={title} point={{ lat: property.lat, lng: property.lng }} />
            )}
          </Section>
          <p className="mt-8 text-sm text-slate-700 dark:text-slate-300">
            {t('prUpdated', { date: date(property.updated_at) })}
          </p>
        </div>
        <aside className="min-w-0 space-y-6 lg:sticky lg:top-24 lg:h-fit">
          <div className="max-lg:hidden">
            <PriceCard property={property} />
          </div>
          <ContactCard property={property} onSignIn={onSignIn} />
        </aside>
      </div>
      <Similar property={property} />
      {isPublic && property.owner_id !== user?.id && <ContactBar property={property} />}
      {enlarged !== null && (
        <Lightbox
          images={images}
          alts={alts}
          name={title}
          start={enlarged}
          onClose={() => setEnlarged(null)}
        />
      )}
    </div>
  )
}
