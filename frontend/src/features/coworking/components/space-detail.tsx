import { buttonVariants } from '@/components/ui/button'
import { cardClass, usePageMeta } from '@/components/ui/page'
import { mapEmbedTemplate } from '@/config/env'
import { Check, Clock, ExternalLink, Mail, MapPin, Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { DetailedSpace } from '../api/get-space'
import {
  AMENITIES,
  amenityKeys,
  capacityText,
  DAYS,
  detailPrice,
  hoursOf,
  lowestPrice,
  offeringLabel,
  parseCoordinates,
  webLink,
} from '../format'
import { Gallery } from './gallery'

function Section({ title, id, children }: { title: string; id?: string; children: ReactNode }) {
  return (
    <section id={id} className="mt-10">
      <h2 className="mb-4 text-2xl font-semibold">{title}</h2>
      {children}
    </section>
  )
}

function PricingCard({ space }: { space: DetailedSpace }) {
  const min = space.min_price ?? lowestPrice(space.offerings)
  const { max_price: max } = space
  const site = webLink(space.website_url)
  const row = 'flex min-h-11 items-center gap-2 break-all hover:underline'
  return (
    <aside className={`${cardClass} h-fit lg:sticky lg:top-24`}>
      <h2 className="text-xl font-semibold">Pricing &amp; Contact</h2>
      <p className="mt-4 text-sm text-slate-700 dark:text-slate-300">Starting price</p>
      <p className="text-3xl font-bold">
        {min === null
          ? 'Price on request'
          : max !== null && max > min
            ? `${detailPrice(min)} - ${detailPrice(max)}`
            : detailPrice(min)}
      </p>
      {site && (
        <a
          href={site}
          target="_blank"
          rel="noopener noreferrer"
          className={buttonVariants({ className: 'mt-5 w-full' })}
        >
          Visit Website <ExternalLink aria-hidden className="size-4" />
        </a>
      )}
      <div className="mt-4">
        {space.booking_phone && (
          <a className={row} href={`tel:${space.booking_phone}`}>
            <Phone aria-hidden className="size-4 shrink-0" /> {space.booking_phone}
          </a>
        )}
        {space.booking_email && (
          <a className={row} href={`mailto:${space.booking_email}`}>
            <Mail aria-hidden className="size-4 shrink-0" /> {space.booking_email}
          </a>
        )}
      </div>
      <p className="mt-3 flex items-center gap-2 border-t border-slate-200 pt-4 dark:border-slate-800">
        <Clock aria-hidden className="size-4" /> Monday: {hoursOf(space.opening_hours, 'monday')}
      </p>
      <a href="#hours" className={buttonVariants({ variant: 'link', className: 'px-0!' })}>
        View all hours
      </a>
    </aside>
  )
}

function Location({ space, address }: { space: DetailedSpace; address: string }) {
  const point = parseCoordinates(space.coordinates)
  const fill = (template: string) =>
    template.replaceAll('{lat}', String(point?.lat)).replaceAll('{lng}', String(point?.lng))
  return (
    <Section title="Location">
      <p>{address}</p>
      {point && (
        <>
          <iframe
            title={`Map of ${space.name}`}
            src={fill(mapEmbedTemplate)}
            loading="lazy"
            referrerPolicy="no-referrer-when-downgrade"
            className="mt-4 h-80 w-full rounded-2xl border border-slate-300 bg-slate-100"
          />
          <a
            href={fill('https://maps.google.com/maps?q={lat},{lng}&z=15')}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonVariants({ variant: 'link', className: 'px-0!' })}
          >
            Open in maps
          </a>
        </>
      )}
    </Section>
  )
}

export function SpaceDetail({ space }: { space: DetailedSpace }) {
  usePageMeta(`${space.name}, ${space.city}`)
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
  return (
    <div className="mx-auto max-w-7xl px-4 pt-24 pb-16 sm:px-6">
      <nav aria-label="Breadcrumb" className="text-sm">
        <ol className="flex flex-wrap items-center gap-2">
          <li>
            <Link to="/" className="inline-block py-1 underline">
              Home
            </Link>
          </li>
          <li className="before:mr-2 before:content-['»']">
            <Link to="/coworking" className="inline-block py-1 underline">
              Co-working Spaces
            </Link>
          </li>
          <li aria-current="page" className="before:mr-2 before:content-['»']">
            {space.name}
          </li>
        </ol>
      </nav>
      <h1 tabIndex={-1} className="mt-4 text-3xl font-bold tracking-tight sm:text-4xl">
        {space.name}
      </h1>
      <p className="mt-2 mb-6 flex gap-2 text-slate-700 dark:text-slate-300">
        <MapPin aria-hidden className="size-5 shrink-0" /> {address}
      </p>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0">
          <Gallery images={images} name={space.name} />
          <Section title="Available Space Types">
            <div className="grid gap-4 sm:grid-cols-2">
              {space.offerings.map((item) => (
                <article key={item.id} className={`${cardClass} flex flex-col gap-2`}>
                  <h3 className="text-lg font-semibold">
                    {item.offering_type === 'day_pass'
                      ? 'Day Pass / Hot Desk'
                      : offeringLabel(item.offering_type)}
                  </h3>
                  <p className="text-xl font-bold">
                    {item.price_from === null ? 'Price on request' : `From ${detailPrice(item.price_from)}`}
                  </p>
                  {item.capacity !== null && (
                    <p className="text-sm">{capacityText(item.offering_type, item.capacity)}</p>
                  )}
                  {item.description && <p className="text-sm">{item.description}</p>}
                  {site && (
                    <a
                      href={site}
                      target="_blank"
                      rel="noopener noreferrer"
                      className={buttonVariants({ variant: 'outline', className: 'mt-auto' })}
                    >
                      Book on website
                    </a>
                  )}
                </article>
              ))}
            </div>
          </Section>
          {space.description && (
            <Section title="About">
              <p className="max-w-prose leading-relaxed whitespace-pre-line">{space.description}</p>
            </Section>
          )}
          {amenities.length > 0 && (
            <Section title="Amenities">
              <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
                {amenities.map((key) => (
                  <li key={key} className="flex items-center gap-2">
                    <Check aria-hidden className="size-4 text-emerald-700 dark:text-emerald-300" />{' '}
                    {AMENITIES[key]}
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Section title="Opening Hours" id="hours">
            <dl className="max-w-md divide-y divide-slate-200 dark:divide-slate-800">
              {DAYS.map((day) => (
                <div key={day} className="flex justify-between py-2">
                  <dt className="capitalize">{day}</dt>
                  <dd>{hoursOf(space.opening_hours, day)}</dd>
                </div>
              ))}
            </dl>
          </Section>
          <Location space={space} address={address} />
        </div>
        <PricingCard space={space} />
      </div>
    </div>
  )
}
