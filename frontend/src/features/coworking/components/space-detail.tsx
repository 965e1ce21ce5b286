import { readablePhone } from '@/lib/phone'
import { Breadcrumb } from '@/components/ui/breadcrumb'
import { buttonVariants } from '@/components/ui/button'
import { Gallery } from '@/components/ui/gallery'
import { MapFrame } from '@/components/ui/map-frame'
import { cardClass, usePageMeta } from '@/components/ui/page'
import { Section } from '@/components/ui/section'
import { cn } from '@/lib/cn'
import { webLink } from '@/lib/images'
import { breadcrumbs, useSeo } from '@/lib/seo'
import { Check, Clock, ExternalLink, Mail, MapPin, Phone } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import type { DetailedSpace } from '../api/get-space'
import {
  AMENITIES,
  amenityKeys,
  capacityKey,
  DAY_KEYS,
  DAYS,
  detailPrice,
  hoursOf,
  offeringKey,
  parseCoordinates,
  priceRange,
} from '../format'
import { startingPrice } from '../filter'
import { indianTime, isOpen } from '../hours'
import { spaceData } from '../structured-data'
import { Nearby } from './nearby'

function PricingCard({ space }: { space: DetailedSpace }) {
  const { t } = useTranslation()
  const min = startingPrice(space)
  const open = isOpen(space.opening_hours, new Date())
  const site = webLink(space.website_url)
  const row = 'flex min-h-11 items-center gap-2 break-all hover:underline'
  return (
    <aside className={`${cardClass} h-fit lg:sticky lg:top-24`}>
      <h2 className="text-xl font-semibold">{t('cwPricing')}</h2>
      <p className="mt-4 text-sm text-slate-700 dark:text-slate-300">{t('cwStarting')}</p>
      <p className="text-3xl font-bold">
        {min === null ? t('onRequest') : (priceRange(min, space.max_price, detailPrice) ?? detailPrice(min))}
      </p>
      {site && (
        <a
          href={site}
          target="_blank"
          rel="noopener noreferrer"
          className={buttonVariants({ className: 'mt-5 w-full' })}
        >
          {t('cwVisitWebsite')} <ExternalLink aria-hidden className="size-4" />
        </a>
      )}
      <div className="mt-4">
        {space.booking_phone && (
          <a className={row} href={`tel:${space.booking_phone}`}>
            <Phone aria-hidden className="size-4 shrink-0" /> {readablePhone(space.booking_phone)}
          </a>
        )}
        {space.booking_email && (
          <a className={row} href={`mailto:${space.booking_email}`}>
            <Mail aria-hidden className="size-4 shrink-0" /> {space.booking_email}
          </a>
        )}
      </div>
      <p className="mt-3 flex items-center gap-2 border-t border-slate-200 pt-4 dark:border-slate-800">
        <Clock aria-hidden className="size-4 shrink-0" />
        <span>
          {t('dayMonday')}: {hoursOf(space.opening_hours, 'monday') ?? t('cwClosed')}
        </span>
      </p>
      {open !== null && (
        <p
          className={cn(
            'mt-2 font-semibold',
            open ? 'text-emerald-700 dark:text-emerald-300' : 'text-red-700 dark:text-red-300',
          )}
        >
          {t(open ? 'cwOpenNow' : 'cwClosedNow')}
        </p>
      )}
      <a href="#hours" className={buttonVariants({ variant: 'link', className: 'px-0!' })}>
        {t('cwAllHours')}
      </a>
    </aside>
  )
}

/** On small screens the contact stays within reach of the thumb. */
function ContactBar({ space }: { space: DetailedSpace }) {
  const { t } = useTranslation()
  if (!space.booking_phone && !space.booking_email) return null
  const action = buttonVariants({ className: 'flex-1' })
  return (
    <div
      data-slot="contact-bar"
      className="sticky bottom-0 z-30 -mx-4 mt-10 flex gap-3 border-t border-slate-200 bg-white p-3 sm:-mx-6 lg:hidden dark:border-slate-800 dark:bg-slate-950"
    >
      {space.booking_phone && (
        <a href={`tel:${space.booking_phone}`} className={action}>
          <Phone aria-hidden className="size-4" /> {t('cwCall')}
        </a>
      )}
      {space.booking_email && (
        <a
          href={`mailto:${space.booking_email}`}
          className={buttonVariants({ variant: 'outline', className: 'flex-1' })}
        >
          <Mail aria-hidden className="size-4" /> {t('cwEmail')}
        </a>
      )}
    </div>
  )
}

function Hours({ space }: { space: DetailedSpace }) {
  const { t } = useTranslation()
  const today = indianTime(new Date()).day
  return (
    <Section title={t('cwHours')} id="hours">
      <dl className="max-w-md divide-y divide-slate-200 dark:divide-slate-800">
        {DAYS.map((day) => (
          <div key={day} className={cn('flex justify-between gap-4 py-2', day === today && 'font-semibold')}>
            <dt>
              {t(DAY_KEYS[day])}
              {day === today && ` (${t('cwToday')})`}
            </dt>
            <dd>{hoursOf(space.opening_hours, day) ?? t('cwClosed')}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

function Location({ space, address }: { space: DetailedSpace; address: string }) {
  const { t } = useTranslation()
  const point = parseCoordinates(space.coordinates)
  return (
    <Section title={t('cwLocation')}>
      <p>{address}</p>
      {point && <MapFrame name={space.name} point={point} />}
    </Section>
  )
}

export function SpaceDetail({ space }: { space: DetailedSpace }) {
  const { t } = useTranslation()
  const title = `${space.name}, ${space.city}`
  const path = `/coworking/${encodeURIComponent(space.slug)}`
  usePageMeta(title)
  const address = [space.address, space.sub_locality, space.locality, space.city, space.state]
    .filter(Boolean)
    .join(', ')
  const images = space.images.length
    ? space.images.map(({ url }) => url)
    : space.image_url
      ? [space.image_url]
      : []
  const amenities = amenityKeys(space.amenities)
  const site = webLink(space.website_url)
  const nameOf = (type: string) => t(type === 'day_pass' ? 'ofDayPassHotDesk' : offeringKey(type))
  const steps = [
    [t('home'), '/'],
    [t('coworking'), '/coworking'],
    [space.name, path],
  ] as const
  useSeo({
    title,
    description: t('cwDescription', { name: space.name, city: space.city }),
    path,
    image: images[0],
    data: [spaceData(space, path, images), breadcrumbs(steps)],
  })
  return (
    <div className="mx-auto max-w-7xl px-4 pt-24 pb-16 sm:px-6">
      <Breadcrumb steps={steps} />
      <h1 tabIndex={-1} className="mt-4 text-3xl font-bold tracking-tight sm:text-4xl">
        {space.name}
      </h1>
      <p className="mt-2 mb-6 flex gap-2 text-slate-700 dark:text-slate-300">
        <MapPin aria-hidden className="size-5 shrink-0" /> {address}
      </p>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0">
          <Gallery images={images} name={space.name} />
          <Section title={t('cwTypes')}>
            {space.offerings.length === 0 && <p>{t('cwNoTypes')}</p>}
            <div className="grid gap-4 sm:grid-cols-2">
              {space.offerings.map((item) => (
                <article key={item.id} className={`${cardClass} flex min-w-0 flex-col gap-2`}>
                  <h3 className="text-lg font-semibold">{nameOf(item.offering_type)}</h3>
                  <p className="text-xl font-bold">
                    {item.price_from === null
                      ? t('onRequest')
                      : t('cwFrom', { price: detailPrice(item.price_from) })}
                  </p>
                  {item.capacity !== null && (
                    <p className="text-sm">{t(capacityKey(item.offering_type), { number: item.capacity })}</p>
                  )}
                  {item.description && <p className="text-sm">{item.description}</p>}
                  {site && (
                    <a
                      href={site}
                      target="_blank"
                      rel="noopener noreferrer"
                      aria-label={t('cwBookName', { name: nameOf(item.offering_type) })}
                      className={buttonVariants({
                        variant: 'outline',
                        className: 'mt-auto h-auto! min-h-11 py-2 text-center whitespace-normal!',
                      })}
                    >
                      {t('cwBook')}
                    </a>
                  )}
                </article>
              ))}
            </div>
          </Section>
          {space.description && (
            <Section title={t('cwAbout')}>
              <p className="max-w-prose leading-relaxed whitespace-pre-line">{space.description}</p>
            </Section>
          )}
          {amenities.length > 0 && (
            <Section title={t('cwAmenities')}>
              <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
                {amenities.map((key) => (
                  <li key={key} className="flex items-center gap-2">
                    <Check aria-hidden className="size-4 text-emerald-700 dark:text-emerald-300" />{' '}
                    {t(AMENITIES[key] ?? key)}
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Hours space={space} />
          <Location space={space} address={address} />
        </div>
        <PricingCard space={space} />
      </div>
      <Nearby space={space} />
      <ContactBar space={space} />
    </div>
  )
}
