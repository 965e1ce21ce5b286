import { StoredImage } from '@/components/ui/stored-image'
import { cn } from '@/lib/cn'
import { CARD_SIZES, firstImage, PLACEHOLDER, webLink } from '@/lib/images'
import { ExternalLink, Mail, MapPin, Phone } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import type { ListedSpace } from '../api/get-spaces'
import { addressLine, cardPrice, offeringKey, priceRange } from '../format'
import { startingPrice } from '../filter'

export const SpaceCard = memo(function SpaceCard({
  space,
  eager = false,
  level: Heading = 'h2',
}: {
  space: ListedSpace
  eager?: boolean
  level?: 'h2' | 'h3'
}) {
  const { t } = useTranslation()
  const path = `/coworking/${encodeURIComponent(space.slug)}`
  const image = firstImage(space.images, false) ?? space.image_url ?? PLACEHOLDER
  const min = startingPrice(space)
  const price =
    min === null
      ? t('onRequest')
      : (priceRange(min, space.max_price, cardPrice) ?? t('cwFrom', { price: cardPrice(min) }))
  const site = webLink(space.website_url)
  const action = 'inline-flex min-h-11 items-center gap-1.5 text-sm font-medium hover:underline'
  return (
    <article
      data-slot="space-card"
      className={cn(
        'flex flex-col overflow-hidden rounded-2xl border border-slate-200 bg-white shadow-sm transition-shadow hover:shadow-lg dark:border-slate-800 dark:bg-slate-900',
        space.paid_listing && 'ring-2 ring-yellow-400',
      )}
    >
      <Link to={path} className="relative block">
        <StoredImage
          source={image}
          alt={space.name}
          width={400}
          height={300}
          sizes={CARD_SIZES}
          loading={eager ? 'eager' : 'lazy'}
          fetchPriority={eager ? 'high' : undefined}
          className="aspect-4/3 w-full"
        />
        {space.paid_listing && (
          <span
            title={t('cwPaid')}
            className="absolute top-3 left-3 rounded-full bg-yellow-400 px-3 py-1 text-xs font-bold text-slate-900"
          >
            {t('featured')}
          </span>
        )}
      </Link>
      <div className="flex grow flex-col gap-3 p-5">
        <Heading className="text-lg font-semibold">
          <Link to={path} className="hover:underline">
            {space.name}
          </Link>
        </Heading>
        <p className="flex gap-1.5 text-sm text-slate-700 dark:text-slate-300">
          <MapPin aria-hidden className="mt-0.5 size-4 shrink-0" /> {addressLine(space)}
        </p>
        {space.offerings.length > 0 && (
          <div>
            <p className="text-xs font-semibold tracking-wide text-slate-600 uppercase dark:text-slate-400">
              {t('available')}
            </p>
            <ul className="mt-2 flex flex-wrap gap-1.5">
              {space.offerings.map((item) => (
                <li
                  key={item.id}
                  className="rounded-full bg-blue-50 px-2.5 py-1 text-xs font-medium text-blue-900 dark:bg-blue-950 dark:text-blue-100"
                >
                  {t(offeringKey(item.offering_type))}
                  {item.price_from !== null && ` ${cardPrice(item.price_from)}`}
                </li>
              ))}
            </ul>
          </div>
        )}
        <p className="mt-auto pt-2 text-xl font-bold">{price}</p>
        <div className="flex flex-wrap gap-x-5 border-t border-slate-200 pt-2 dark:border-slate-800">
          {site && (
            <a href={site} target="_blank" rel="noopener noreferrer" className={action}>
              <ExternalLink aria-hidden className="size-4" /> {t('visitSite')}
            </a>
          )}
          {space.booking_phone && (
            <a
              href={`tel:${space.booking_phone}`}
              className={action}
              aria-label={t('cwCallName', { name: space.name })}
            >
              <Phone aria-hidden className="size-4" /> {t('cwCall')}
            </a>
          )}
          {space.booking_email && (
            <a
              href={`mailto:${space.booking_email}`}
              className={action}
              aria-label={t('cwEmailName', { name: space.name })}
            >
              <Mail aria-hidden className="size-4" /> {t('cwEmail')}
            </a>
          )}
        </div>
      </div>
    </article>
  )
})
