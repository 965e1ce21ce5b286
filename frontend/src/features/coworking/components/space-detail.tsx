import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useEffect } from 'react';
import { Link, useParams } from 'react-router-dom';
import { buttonClass } from '@/components/ui/button';
import { Loading } from '@/components/ui/loading';
import { card, PageTitle } from '@/components/ui/page';
import { MAP_EMBED_URL } from '@/config/env';
import { notify } from '@/lib/notify';
import { spaceOptions } from '../api/get-space';
import { spacesOptions } from '../api/list-spaces';
import {
  AMENITIES,
  amenitiesOf,
  capacity,
  DAYS,
  detailPrice,
  hoursOf,
  OFFERINGS,
  openNow,
  priceLine,
  type SpaceView,
} from '../lib/model';
import { Gallery } from './gallery';
import { SpaceCard } from './space-card';

const h2 = 'mb-4 text-xl font-bold';

function PriceCard({ space }: { space: SpaceView }) {
  return (
    <section className={`${card} space-y-4 p-6 lg:sticky lg:top-24`}>
      <h2 className="text-xl font-bold">Pricing &amp; Contact</h2>
      <p className="text-2xl font-bold text-brand">{priceLine(space, detailPrice)}</p>
      {space.website_url && (
        <a
          className={`${buttonClass()} w-full`}
          href={space.website_url}
          target="_blank"
          rel="noopener noreferrer"
        >
          Visit Website
        </a>
      )}
      {space.booking_phone && (
        <a
          className={`${buttonClass({ variant: 'outline' })} w-full`}
          href={`tel:${space.booking_phone}`}
        >
          {space.booking_phone}
        </a>
      )}
      {space.booking_email && (
        <a
          className="block py-1 break-all text-brand underline"
          href={`mailto:${space.booking_email}`}
        >
          {space.booking_email}
        </a>
      )}
      <p>
        Monday: {hoursOf(space, 'monday')}
        {openNow(space) && <strong className="ml-2">Open now</strong>}
      </p>
      <a className="inline-block py-1 text-brand underline" href="#hours">
        View all hours
      </a>
    </section>
  );
}

function Nearby({ space }: { space: SpaceView }) {
  const { data } = useQuery(spacesOptions(space.city));
  const others = (data ?? []).filter((other) => other.id !== space.id).slice(0, 3);
  if (!others.length) return null;
  return (
    <section className="mt-12">
      <h2 className={h2}>Nearby spaces in {space.city}</h2>
      <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {others.map((other) => (
          <SpaceCard key={other.id} space={other} />
        ))}
      </div>
    </section>
  );
}

function Location({ space }: { space: SpaceView }) {
  const { point } = space;
  const at = (template: string) =>
    template.replace('{lat}', String(point?.lat)).replace('{lng}', String(point?.lng));
  return (
    <section>
      <h2 className={h2}>Location</h2>
      <p className="mb-3">
        {space.address}, {space.locality}, {space.city}, {space.state}
      </p>
      {point && (
        <>
          <iframe
            title={`Map of ${space.name}`}
            src={at(MAP_EMBED_URL)}
            loading="lazy"
            className="h-72 w-full rounded-2xl border border-line bg-brand-soft"
          />
          <a
            className="inline-block py-2 text-brand underline"
            href={at('https://maps.google.com/maps?q={lat},{lng}&z=15')}
            target="_blank"
            rel="noopener noreferrer"
          >
            Open in maps
          </a>
        </>
      )}
    </section>
  );
}

export function SpaceDetail() {
  const { slug = '' } = useParams();
  const { data: space, isPending, error } = useQuery(spaceOptions(slug));
  useEffect(() => {
    if (error) notify.error('Failed to load co-working space');
  }, [error]);
  if (isPending)
    return (
      <div className="pt-24">
        <Loading />
      </div>
    );
  if (!space)
    return (
      <div className="px-4 pt-32 pb-24 text-center">
        <PageTitle>Co-working Space Not Found</PageTitle>
        <Link className={`${buttonClass()} mt-6`} to="/coworking">
          Browse all co-working spaces
        </Link>
      </div>
    );
  const amenities = amenitiesOf(space);
  return (
    <div className="mx-auto max-w-7xl px-4 pt-24 pb-16">
      <nav aria-label="Breadcrumb" className="mb-4 text-sm">
        <Link to="/" className="underline">
          Home
        </Link>{' '}
        »{' '}
        <Link to="/coworking" className="underline">
          Co-working Spaces
        </Link>{' '}
        » <span aria-current="page">{space.name}</span>
      </nav>
      <PageTitle>{space.name}</PageTitle>
      <p className="mt-2 mb-6 text-muted">
        {[space.address, space.sub_locality, space.locality, space.city, space.state]
          .filter(Boolean)
          .join(', ')}
      </p>
      <div className="grid gap-8 lg:grid-cols-3">
        <div className="space-y-10 lg:col-span-2">
          <Gallery space={space} />
          {space.offerings.length > 0 && (
            <section>
              <h2 className={h2}>Available Space Types</h2>
              <div className="grid gap-4 sm:grid-cols-2">
                {space.offerings.map((offering) => (
                  <div key={offering.id} className={`${card} space-y-2 p-5`}>
                    <h3 className="font-bold">
                      {offering.offering_type === 'day_pass'
                        ? 'Day Pass / Hot Desk'
                        : OFFERINGS[offering.offering_type]}
                    </h3>
                    <p className="text-lg font-semibold text-brand">
                      {offering.price_from === null
                        ? 'Price on request'
                        : `From ${detailPrice(offering.price_from)}`}
                    </p>
                    <p className="text-sm text-muted">{capacity(offering)}</p>
                    {offering.description && <p className="text-sm">{offering.description}</p>}
                    {space.website_url && (
                      <a
                        className="inline-block py-1 text-brand underline"
                        href={space.website_url}
                        target="_blank"
                        rel="noopener noreferrer"
                      >
                        Book on website
                      </a>
                    )}
                  </div>
                ))}
              </div>
            </section>
          )}
          {space.description && (
            <section>
              <h2 className={h2}>About</h2>
              <p className="leading-relaxed whitespace-pre-line">{space.description}</p>
            </section>
          )}
          {amenities.length > 0 && (
            <section>
              <h2 className={h2}>Amenities</h2>
              <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
                {amenities.map((key) => (
                  <li key={key} className="flex gap-2">
                    <Check size={20} className="shrink-0 text-brand" aria-hidden />
                    {AMENITIES[key]}
                  </li>
                ))}
              </ul>
            </section>
          )}
          <section id="hours">
            <h2 className={h2}>Opening Hours</h2>
            <dl className="divide-y divide-line">
              {DAYS.map((day) => (
                <div key={day} className="flex justify-between py-2">
                  <dt className="capitalize">{day}</dt>
                  <dd>{hoursOf(space, day)}</dd>
                </div>
              ))}
            </dl>
          </section>
          <Location space={space} />
        </div>
        <div>
          <PriceCard space={space} />
        </div>
      </div>
      <Nearby space={space} />
    </div>
  );
}
