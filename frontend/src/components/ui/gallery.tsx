import { cn } from '@/lib/cn'
import { ChevronLeft, ChevronRight, Maximize2 } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { PAGE_SIZES } from '@/lib/images'
import { StoredImage } from './stored-image'

const SWIPE = 40
const arrow =
  'absolute top-1/2 flex size-11 -translate-y-1/2 items-center justify-center rounded-full bg-slate-900/75 text-white hover:bg-slate-900'

type Props = {
  images: readonly string[]
  name: string
  /** Shows the picture of this index alone, on the whole screen. */
  enlarge?: { label: string; open: (index: number) => void }
}

export function Gallery({ images, name, enlarge }: Props) {
  const { t } = useTranslation()
  const [selected, setSelected] = useState(0)
  const thumbnails = useRef<Array<HTMLButtonElement | null>>([])
  const touchedAt = useRef<number | null>(null)
  const current = images[selected] ?? images[0]
  if (!current)
    return (
      <div className="flex h-[400px] items-center justify-center rounded-2xl bg-slate-200 dark:bg-slate-800">
        {t('cwNoImages')}
      </div>
    )
  const count = images.length
  const step = (by: number) => (selected + by + count) % count
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowLeft: step(-1),
      ArrowRight: step(1),
      Home: 0,
      End: count - 1,
    }
    const target = moves[event.key]
    if (target === undefined) return
    event.preventDefault()
    setSelected(target)
    if (thumbnails.current.includes(document.activeElement as HTMLButtonElement))
      thumbnails.current[target]?.focus()
  }
  return (
    <div
      data-slot="gallery"
      role="group"
      aria-label={t('cwGallery', { name })}
      onKeyDown={count > 1 ? onKeyDown : undefined}
    >
      <div
        className="relative touch-pan-y"
        onTouchStart={(event) => (touchedAt.current = event.touches[0]?.clientX ?? null)}
        onTouchEnd={(event) => {
          const moved = (event.changedTouches[0]?.clientX ?? 0) - (touchedAt.current ?? 0)
          if (touchedAt.current !== null && Math.abs(moved) > SWIPE) setSelected(step(moved < 0 ? 1 : -1))
          touchedAt.current = null
        }}
      >
        <StoredImage
          source={current}
          alt={t('cwImageOf', { name, index: selected + 1, count })}
          sizes={PAGE_SIZES}
          fetchPriority="high"
          className="h-[400px] w-full rounded-2xl"
        />
        {enlarge && (
          <button
            type="button"
            aria-label={enlarge.label}
            className="absolute right-3 bottom-3 flex size-11 items-center justify-center rounded-full bg-slate-900/75 text-white hover:bg-slate-900"
            onClick={() => enlarge.open(selected)}
          >
            <Maximize2 aria-hidden className="size-5" />
          </button>
        )}
        {count > 1 && (
          <>
            <button
              type="button"
              aria-label={t('cwPrevious')}
              className={`${arrow} left-3`}
              onClick={() => setSelected(step(-1))}
            >
              <ChevronLeft aria-hidden />
            </button>
            <button
              type="button"
              aria-label={t('cwNext')}
              className={`${arrow} right-3`}
              onClick={() => setSelected(step(1))}
            >
              <ChevronRight aria-hidden />
            </button>
          </>
        )}
      </div>
      {count > 1 && (
        <div className="mt-3 flex gap-3 overflow-x-auto p-1">
          {images.map((url, index) => (
            <button
              key={`${index}-${url}`}
              ref={(element) => {
                thumbnails.current[index] = element
              }}
              type="button"
              aria-label={t('cwShowImage', { index: index + 1 })}
              aria-pressed={index === selected}
              onClick={() => setSelected(index)}
              className={cn('shrink-0 overflow-hidden rounded-lg', index === selected && 'ring-3 ring-brand')}
            >
              <StoredImage
                source={url}
                alt=""
                width={112}
                height={80}
                sizes="112px"
                loading={index >= 3 ? 'lazy' : 'eager'}
                className="h-20 w-28"
              />
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
