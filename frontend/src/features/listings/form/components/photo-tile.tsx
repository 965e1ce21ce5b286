import { StoredImage } from '@/components/ui/stored-image'
import { cn } from '@/lib/cn'
import { ArrowLeft, ArrowRight, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import type { Photo } from '../api/listing'

const tool =
  'flex size-11 items-center justify-center rounded-lg hover:bg-slate-500/15 disabled:opacity-40 sm:size-10'

/** One photo of the listing: its place in the row, and what is said of it. */
export function PhotoTile({
  photo,
  index,
  count,
  isCover,
  dragged,
  onMove,
  onCover,
  onDescribe,
  onRemove,
  onDragStart,
  onDragEnd,
  onDropHere,
}: {
  photo: Photo
  index: number
  count: number
  isCover: boolean
  dragged: boolean
  onMove: (to: number) => void
  onCover: () => void
  onDescribe: (alt: string) => void
  onRemove: () => void
  onDragStart: () => void
  onDragEnd: () => void
  onDropHere: () => void
}) {
  const { t } = useTranslation()
  const [alt, setAlt] = useState(photo.alt ?? '')
  const number = index + 1
  return (
    <li
      data-slot="photo"
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', photo.id)
        onDragStart()
      }}
      onDragEnd={onDragEnd}
      onDragOver={(event) => !event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={(event) => {
        if (event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        onDropHere()
      }}
      className={cn(
        'overflow-hidden rounded-xl border border-slate-300 bg-white dark:border-slate-700 dark:bg-slate-900',
        isCover && 'ring-2 ring-brand dark:ring-blue-300',
        dragged && 'opacity-50',
      )}
    >
      <div className="relative cursor-grab">
        <StoredImage
          source={photo.url}
          alt={photo.alt || t('phPhoto', { number })}
          width={320}
          height={240}
          sizes="(min-width: 640px) 240px, 50vw"
          className="aspect-4/3 w-full"
          draggable={false}
        />
        {isCover && (
          <span className="absolute top-2 left-2 rounded-full bg-brand px-2.5 py-1 text-xs font-bold text-white">
            {t('phCover')}
          </span>
        )}
      </div>
      <div className="p-2">
        <input
          value={alt}
          maxLength={300}
          aria-label={t('phAltOf', { number })}
          placeholder={t('phAlt')}
          onChange={(event) => setAlt(event.target.value)}
          onBlur={() => alt.trim() !== (photo.alt ?? '') && onDescribe(alt)}
          className="h-9 w-full rounded-md border border-slate-400 bg-transparent px-2 text-sm placeholder:text-slate-600 dark:border-slate-600 dark:placeholder:text-slate-400"
        />
        <div className="mt-1 flex justify-between">
          <button
            type="button"
            className={tool}
            disabled={index === 0}
            aria-label={t('phEarlier', { number })}
            onClick={() => onMove(index - 1)}
          >
            <ArrowLeft aria-hidden className="size-4" />
          </button>
          <button
            type="button"
            className={tool}
            disabled={index === count - 1}
            aria-label={t('phNextPlace', { number })}
            onClick={() => onMove(index + 1)}
          >
            <ArrowRight aria-hidden className="size-4" />
          </button>
          <button
            type="button"
            className={tool}
            aria-pressed={isCover}
            aria-label={t('phMakeCover', { number })}
            onClick={onCover}
          >
            <Star aria-hidden className={cn('size-4', isCover && 'fill-current')} />
          </button>
          <button
            type="button"
            className={cn(tool, 'text-red-700 dark:text-red-300')}
            aria-label={t('phRemove', { number })}
            onClick={onRemove}
          >
            <Trash2 aria-hidden className="size-4" />
          </button>
        </div>
      </div>
    </li>
  )
}
