import { imageAt, imageSet } from '@/lib/images'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'

const SWIPE = 40
const control =
  'absolute flex size-12 items-center justify-center rounded-full bg-slate-900/80 text-white hover:bg-slate-700'

/** The pictures one by one on the whole screen: arrows or a swipe go on, Escape goes back. */
export function Lightbox({
  images,
  alts,
  name,
  start,
  onClose,
}: {
  images: readonly string[]
  alts: readonly string[]
  name: string
  start: number
  onClose: () => void
}) {
  const { t } = useTranslation()
  const dialog = useRef<HTMLDialogElement>(null)
  const touchedAt = useRef<number | null>(null)
  const [index, setIndex] = useState(start)
  const count = images.length
  useEffect(() => dialog.current?.showModal(), [])
  const step = (by: number) => setIndex((now) => (now + by + count) % count)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') step(-1)
    else if (event.key === 'ArrowRight') step(1)
    else if (event.key === 'Home') setIndex(0)
    else if (event.key === 'End') setIndex(count - 1)
    else return
    event.preventDefault()
  }
  const source = images[index] ?? ''
  return (
    <dialog
      ref={dialog}
      data-slot="lightbox"
      aria-label={t('cwGallery', { name })}
      onClose={onClose}
      onKeyDown={onKeyDown}
      onTouchStart={(event) => (touchedAt.current = event.touches[0]?.clientX ?? null)}
      onTouchEnd={(event) => {
        const moved = (event.changedTouches[0]?.clientX ?? 0) - (touchedAt.current ?? 0)
        if (touchedAt.current !== null && Math.abs(moved) > SWIPE) step(moved < 0 ? 1 : -1)
        touchedAt.current = null
      }}
      className="m-0 h-dvh max-h-none w-dvw max-w-none bg-black p-0 text-white"
    >
      <img
        key={source}
        src={imageAt(source, 1280)}
        srcSet={imageSet(source)}
        sizes="100vw"
        alt={alts[index] ?? ''}
        className="size-full object-contain"
      />
      <p aria-live="polite" className="absolute top-4 left-4 rounded-full bg-slate-900/80 px-3 py-1 text-sm">
        {t('prImageCount', { index: index + 1, count })}
      </p>
      <button
        type="button"
        aria-label={t('prClose')}
        className={`${control} top-3 right-3`}
        onClick={() => dialog.current?.close()}
      >
        <X aria-hidden />
      </button>
      {count > 1 && (
        <>
          <button
            type="button"
            aria-label={t('cwPrevious')}
            className={`${control} top-1/2 left-3 -translate-y-1/2`}
            onClick={() => step(-1)}
          >
            <ChevronLeft aria-hidden />
          </button>
          <button
            type="button"
            aria-label={t('cwNext')}
            className={`${control} top-1/2 right-3 -translate-y-1/2`}
            onClick={() => step(1)}
          >
            <ChevronRight aria-hidden />
          </button>
        </>
      )}
    </dialog>
  )
}
