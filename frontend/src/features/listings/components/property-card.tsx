import { StoredImage } from '@/components/ui/stored-image'
import { cn } from '@/lib/cn'
import { CARD_SIZES, firstImage, PLACEHOLDER } from '@/lib/images'
import { Camera, MapPin } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import type { ListedProperty } from '../api/search'
import { ALL_SUB_TYPES, FURNISHINGS, INTENTS, TYPES } from '../labels'
import { date, mainArea, number, squareMetres } from '../money'
import { Badges } from './badges'
import { CompareToggle } from './compare-toggle'
import { Heart } from './heart'
import { Price, Rate } from './price'

type Props = {
  property: ListedProperty
  eager?: boolean
  level?: 'h2' | 'h3'
  /** A row of a list rather than a card of a grid. */
  wide?: boolean
}

/** One property in a list. All of it leads to the property, except its buttons. */
export const PropertyCard = memo(function PropertyCard({
  property,
  eager = false,
  level: Heading = 'h2',
  wide = false,
}: Props) {
  const { t } = useTranslation()
  const { images } = property
  const area = mainArea(property)
  const place = [property.locality, property.city].filter(Boolean).join(', ')
  const name = property.title ?? t(TYPES[property.property_type])
  const kind = (property.sub_type && ALL_SUB_TYPES[property.sub_type]) || TYPES[property.property_type]
  return (
    <article
      data-slot="property-card"
      className={cn(
        'relative flex min-w-0 flex-col overflow-hidden rounded-2xl border border-slate-200 bg-white shadow-sm transition-shadow focus-within:ring-3 focus-within:ring-brand hover:shadow-lg dark:border-slate-800 dark:bg-slate-900',
        wide && 'sm:flex-row',
        property.featured && 'ring-2 ring-yellow-400',
      )}
    >
      <div className={cn('relative shrink-0', wide && 'sm:w-72')}>
        <StoredImage
          source={firstImage(images, true) ?? PLACEHOLDER}
          alt=""
          width={400}
          height={300}
          sizes={CARD_SIZES}
          loading={eager ? 'eager' : 'lazy'}
          fetchPriority={eager ? 'high' : undefined}
          className={cn('aspect-4/3 w-full', wide && 'sm:h-full')}
        />
        <Badges property={property} className="absolute top-3 left-3 pr-14" />
        {images.length > 0 && (
          <span
            title={t('prPhotos', { count: images.length })}
            className="absolute right-3 bottom-3 flex items-center gap-1 rounded-full bg-slate-900/80 px-2.5 py-1 text-xs font-medium text-white"
          >
            <Camera aria-hidden className="size-3.5" />
            <span aria-hidden>{images.length}</span>
            <span className="sr-only">{t('prPhotos', { count: images.length })}</span>
          </span>
        )}
      </div>
      <div className="flex min-w-0 grow flex-col gap-2 p-5">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3">
          <strong className="text-xl font-bold">
            <Price property={property} />
          </strong>
          <span className="text-sm text-slate-700 dark:text-slate-300">
            <Rate property={property} />
          </span>
        </p>
        <Heading className="line-clamp-2 font-semibold wrap-anywhere">
          {/* The link covers the card; the buttons stand above it. */}
          <Link
            to={`/property/${encodeURIComponent(property.slug)}`}
            className="outline-none after:absolute after:inset-0 hover:underline"
          >
            {name}
          </Link>
        </Heading>
        {place && (
          <p className="flex gap-1.5 text-sm text-slate-700 dark:text-slate-300">
            <MapPin aria-hidden className="mt-0.5 size-4 shrink-0" /> {place}
          </p>
        )}
        <ul className="flex flex-wrap gap-1.5 text-xs font-medium *:rounded-full *:bg-slate-100 *:px-2.5 *:py-1 dark:*:bg-slate-800">
          {area !== null && (
            <li title={t('prSqM', { area: squareMetres(area) })}>{t('prSqFt', { area: number(area) })}</li>
          )}
          <li>{t(INTENTS[property.intent])}</li>
          <li>{t(kind)}</li>
          {property.furnishing && <li>{t(FURNISHINGS[property.furnishing])}</li>}
          {property.seats ? <li>{t('cwSeats', { number: property.seats })}</li> : null}
        </ul>
        <p className="mt-auto flex flex-wrap items-center justify-between gap-x-3 pt-1 text-xs text-slate-600 dark:text-slate-400">
          {property.published_at && t('prPosted', { date: date(property.published_at) })}
          <CompareToggle
            id={property.id}
            name={name}
            className="relative z-10 -mr-2 -mb-2 min-h-11 rounded-lg px-2 text-sm font-semibold text-slate-900 hover:bg-slate-500/10 dark:text-slate-100"
          />
        </p>
      </div>
      <Heart
        id={property.id}
        name={name}
        className={cn(
          'absolute top-2 right-2 flex size-11 items-center justify-center rounded-full bg-white/90 text-slate-900 shadow hover:bg-white dark:bg-slate-900/90 dark:text-slate-100',
          // In a row it stays on the picture.
          wide && 'sm:right-auto sm:left-59',
        )}
      />
    </article>
  )
})
