import { Mail, MapPin, Phone } from 'lucide-react';
import { Link } from 'react-router-dom';
import { buttonClass } from '@/components/ui/button';
import { card } from '@/components/ui/page';
import { cn } from '@/lib/cn';
import { cardPrice, OFFERINGS, openNow, priceLine, srcSet, type SpaceView } from '../lib/model';

export function SpaceCard({ space, eager }: { space: SpaceView; eager?: boolean }) {
  const to = `/coworking/${space.slug}`;
  return (
    <article
      data-testid="space-card"
      className={cn(
        card,
        'flex flex-col overflow-hidden transition hover:shadow-lg',
        space.paid_listing && 'ring-2 ring-yellow-400',
      )}
    >
      <Link to={to} className="relative block" aria-label={`View ${space.name}`}>
        <img
          src={space.mainImage}
          srcSet={srcSet(space.mainImage)}
          sizes="(min-width: 1024px) 400px, 100vw"
          alt=""
          width={400}
          height={300}
          loading={eager ? 'eager' : 'lazy'}
          className="aspect-4/3 w-full object-cover"
        />
        {space.paid_listing && (
          <span className="absolute top-3 left-3 rounded bg-yellow-400 px-2 py-1 text-xs font-bold text-slate-900">
            FEATURED
          </span>
        )}
        {openNow(space) && (
          <span className="absolute top-3 right-3 rounded bg-emerald-800 px-2 py-1 text-xs font-semibold text-white">
            Open now
          </span>
        )}
      </Link>
      <div className="flex grow flex-col gap-3 p-5">
        <h3 className="text-lg font-bold">
          <Link to={to} className="hover:underline">
            {space.name}
          </Link>
        </h3>
        <p className="flex gap-2 text-sm text-muted">
          <MapPin size={16} className="mt-0.5 shrink-0" aria-hidden />
          {space.address}, {space.locality}, {space.city}
        </p>
        {space.offerings.length > 0 && (
          <div>
            <p className="mb-2 text-sm font-semibold">Available Spaces</p>
            <ul className="flex flex-wrap gap-1.5">
              {space.offerings.map((offering) => (
                <li
                  key={offering.id}
                  className="rounded-full bg-brand-soft px-2.5 py-1 text-xs text-ink"
                >
                  {OFFERINGS[offering.offering_type] ?? offering.offering_type}
                  {offering.price_from !== null && ` ${cardPrice(offering.price_from)}`}
                </li>
              ))}
            </ul>
          </div>
        )}
        <p className="mt-auto text-lg font-bold text-brand">{priceLine(space)}</p>
        <div className="flex flex-wrap gap-2">
          {space.website_url && (
            <a
              href={space.website_url}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClass({ size: 'sm' })}
            >
              Visit Site
            </a>
          )}
          {space.booking_phone && (
            <a
              href={`tel:${space.booking_phone}`}
              aria-label={`Call ${space.name}`}
              className={buttonClass({ variant: 'outline', size: 'sm' })}
            >
              <Phone size={16} />
            </a>
          )}
          {space.booking_email && (
            <a
              href={`mailto:${space.booking_email}`}
              aria-label={`E-mail ${space.name}`}
              className={buttonClass({ variant: 'outline', size: 'sm' })}
            >
              <Mail size={16} />
            </a>
          )}
        </div>
      </div>
    </article>
  );
}
