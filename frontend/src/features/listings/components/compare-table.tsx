import { buttonVariants } from '@/components/ui/button'
import { StoredImage } from '@/components/ui/stored-image'
import { cn } from '@/lib/cn'
import { PLACEHOLDER } from '@/lib/images'
import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import type { DetailedProperty } from '../api/get-property'
import { compareRows, MOST } from '../compare'
import { ALL_SUB_TYPES, TYPES } from '../labels'
import { Badges } from './badges'
import { Heart } from './heart'

const solid = 'bg-white dark:bg-slate-900'

function Head({ property, onRemove }: { property: DetailedProperty; onRemove: () => void }) {
  const { t } = useTranslation()
  const cover = property.images.find(({ is_cover: first }) => first) ?? property.images[0]
  const name = property.title ?? t(TYPES[property.property_type])
  return (
    <div className="relative flex h-full flex-col gap-1.5 text-left font-normal">
      <StoredImage
        source={cover?.url ?? PLACEHOLDER}
        alt=""
        width={320}
        height={180}
        sizes="(min-width: 1024px) 300px, 60vw"
        className="h-24 w-full rounded-lg sm:h-32"
      />
      <button
        type="button"
        aria-label={t('cmRemove', { name })}
        onClick={onRemove}
        className="absolute top-1.5 right-1.5 flex size-11 items-center justify-center rounded-full bg-white/90 text-slate-900 shadow dark:bg-slate-900/90 dark:text-slate-100"
      >
        <X aria-hidden className="size-5" />
      </button>
      <Link
        to={`/property/${encodeURIComponent(property.slug)}`}
        className="line-clamp-2 py-0.5 font-semibold wrap-anywhere hover:underline"
      >
        {name}
      </Link>
      <span className="text-sm text-slate-700 dark:text-slate-300">
        {[property.locality, property.city].filter(Boolean).join(', ')}
      </span>
      <span className="flex flex-wrap items-center gap-2 max-sm:hidden">
        <span className="text-sm text-slate-700 dark:text-slate-300">
          {t((property.sub_type && ALL_SUB_TYPES[property.sub_type]) || TYPES[property.property_type])}
        </span>
        <Badges property={property} />
      </span>
      <span className="mt-auto flex flex-wrap gap-2 pt-1 max-sm:hidden">
        <Link
          to={`/property/${encodeURIComponent(property.slug)}#contact`}
          aria-label={`${t('prContactOwner')}: ${name}`}
          className={buttonVariants({ size: 'sm' })}
        >
          {t('prContactOwner')}
        </Link>
        <Heart
          id={property.id}
          name={name}
          className={buttonVariants({ size: 'sm', variant: 'outline', className: 'px-2.5!' })}
        />
      </span>
    </div>
  )
}

/** Up to three beside each other. The labels and the names stay in sight, whichever way it is scrolled. */
export function CompareTable({
  properties,
  onRemove,
}: {
  properties: readonly DetailedProperty[]
  onRemove: (id: string) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const [onlyDifferences, setOnlyDifferences] = useState(false)
  const all = compareRows(properties, t)
  const rows = onlyDifferences ? all.filter(({ differs }) => differs) : all
  const free = MOST - properties.length
  return (
    <>
      <label className="mb-3 flex min-h-11 w-fit cursor-pointer items-center gap-2 font-medium">
        <input
          type="checkbox"
          className="size-5 accent-brand"
          checked={onlyDifferences}
          onChange={({ target }) => setOnlyDifferences(target.checked)}
        />
        {t('cmDifferences')}
      </label>
      <p id={id} className="mb-2 text-sm text-slate-700 lg:hidden dark:text-slate-300">
        {t('cmSwipe')}
      </p>
      <div
        role="region"
        aria-label={t('cmTitle')}
        tabIndex={0}
        className={cn(
          'relative max-h-[calc(100dvh-6rem)] snap-x snap-mandatory scroll-pl-28 overflow-auto rounded-2xl border border-slate-200 shadow-sm sm:scroll-pl-44 dark:border-slate-800',
          solid,
        )}
      >
        <table data-slot="compare-table" className="w-full border-separate border-spacing-0 text-sm">
          <thead>
            <tr>
              <td
                className={cn(
                  'sticky top-0 left-0 z-20 w-28 min-w-28 border-b border-slate-200 sm:w-44 sm:min-w-44 dark:border-slate-700',
                  solid,
                )}
              />
              {properties.map((property) => (
                <th
                  key={property.id}
                  scope="col"
                  className={cn(
                    'sticky top-0 z-10 w-[28%] min-w-52 snap-start border-b border-slate-200 p-3 align-top sm:min-w-60 dark:border-slate-700',
                    solid,
                  )}
                >
                  <Head property={property} onRemove={() => onRemove(property.id)} />
                </th>
              ))}
              {free > 0 && (
                <td
                  className={cn(
                    'sticky top-0 z-10 min-w-40 snap-start border-b border-slate-200 p-3 align-top dark:border-slate-700',
                    solid,
                  )}
                >
                  <Link
                    to="/commercial"
                    className="flex min-h-32 flex-col items-center justify-center gap-2 rounded-xl border-2 border-dashed border-slate-400 p-3 text-center font-semibold hover:border-brand dark:border-slate-500"
                  >
                    <Plus aria-hidden className="size-6" /> {t('cmAddMore', { count: free })}
                  </Link>
                </td>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, label, values, best, word, differs }) => (
              <tr key={key} data-differs={differs} className="group">
                <th
                  scope="row"
                  className={cn(
                    'sticky left-0 z-10 border-b border-slate-200 p-3 text-left align-top font-medium wrap-anywhere text-slate-700 dark:border-slate-700 dark:text-slate-300',
                    solid,
                  )}
                >
                  {label}
                </th>
                {values.map((value, index) => (
                  <td
                    key={properties[index]?.id}
                    className={cn(
                      'border-b border-slate-200 p-3 align-top wrap-anywhere dark:border-slate-700',
                      differs && properties.length > 1 && 'bg-amber-50 dark:bg-slate-800/70',
                      best.includes(index) && 'font-bold',
                    )}
                  >
                    {value ?? (
                      <>
                        <span aria-hidden>—</span>
                        <span className="sr-only">{t('cmUnknown')}</span>
                      </>
                    )}
                    {best.includes(index) && (
                      <span className="ml-2 inline-block rounded-full bg-emerald-100 px-2 py-0.5 text-xs font-bold text-emerald-900 dark:bg-emerald-950 dark:text-emerald-100">
                        {t(word)}
                      </span>
                    )}
                  </td>
                ))}
                {free > 0 && <td className="border-b border-slate-200 dark:border-slate-700" />}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
