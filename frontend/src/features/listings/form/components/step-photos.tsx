import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { cn } from '@/lib/cn'
import { Camera, ImagePlus } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import type { OwnListing } from '../api/listing'
import { MOST_PHOTOS } from '../api/photos'
import { KINDS_OF_UPLOAD } from '../upload/check-file'
import { usePhotos } from '../use-photos'
import { useForm } from './form-context'
import { Papers } from './papers'
import { PhotoTile } from './photo-tile'
import { UploadTile } from './upload-tile'

/** A place to drop, paste or choose files. */
export function DropZone({
  accept,
  onFiles,
  label,
  children,
}: {
  accept: readonly string[]
  onFiles: (files: File[]) => void
  label: string
  children: ReactNode
}) {
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  return (
    <div
      data-slot="drop-zone"
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(false)
        onFiles([...event.dataTransfer.files])
      }}
      className={cn(
        'flex flex-col items-center gap-3 rounded-2xl border-2 border-dashed p-6 text-center',
        over
          ? 'border-brand bg-blue-50 dark:border-blue-300 dark:bg-blue-950'
          : 'border-slate-400 bg-slate-50 dark:border-slate-600 dark:bg-slate-900',
      )}
    >
      {children}
      <input
        ref={input}
        type="file"
        multiple
        accept={accept.join(',')}
        aria-label={label}
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      <Button onClick={() => input.current?.click()}>
        <ImagePlus aria-hidden className="size-4" /> {label}
      </Button>
    </div>
  )
}

function Photos({ listing }: { listing: OwnListing }) {
  const { t } = useTranslation()
  const { user } = useForm()
  const photos = usePhotos(user, listing)
  const [said, setSaid] = useState('')
  const [dragged, setDragged] = useState<string | null>(null)
  // A change hides what is public now, so it is asked for once.
  const [agreed, setAgreed] = useState(listing.status !== 'active')
  const [wanted, setWanted] = useState<(() => void) | null>(null)
  const agree = (work: () => void) => (agreed ? work() : setWanted(() => work))
  const { add } = photos
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length && agreed) add(files)
    }
    document.addEventListener('paste', paste)
    return () => document.removeEventListener('paste', paste)
  }, [add, agreed])
  const count = photos.photos.length
  const cover = photos.photos.find(({ is_cover: chosen }) => chosen)?.id ?? photos.photos[0]?.id
  const move = (id: string, from: number, to: number) =>
    agree(() => {
      photos.move(id, to)
      setSaid(t('phMoved', { from: from + 1, to: to + 1, count }))
    })
  return (
    <section>
      <DropZone
        accept={KINDS_OF_UPLOAD.photo.types}
        label={t('phAdd')}
        onFiles={(files) => files.length && agree(() => add(files))}
      >
        <Camera aria-hidden className="size-8 text-slate-600 dark:text-slate-400" />
        <div>
          <p className="font-semibold">{t('phDrop')}</p>
          <p className="mt-1 text-sm text-slate-700 dark:text-slate-300">
            {t('phRules', { count: MOST_PHOTOS })}
          </p>
        </div>
      </DropZone>
      <p className="mt-3 text-sm text-slate-700 dark:text-slate-300">{t('phGuide')}</p>
      <p aria-live="polite" className="sr-only">
        {said}
      </p>
      {(count > 0 || photos.uploads.length > 0) && (
        <>
          <h3 className="mt-6 font-semibold">{t('phCount', { count, most: MOST_PHOTOS })}</h3>
          <ul data-slot="photos" className="mt-3 grid grid-cols-2 gap-4 sm:grid-cols-3">
            {photos.photos.map((photo, index) => (
              <PhotoTile
                key={photo.id}
                photo={photo}
                index={index}
                count={count}
                isCover={photo.id === cover}
                dragged={dragged === photo.id}
                onMove={(to) => move(photo.id, index, to)}
                onCover={() => agree(() => photos.cover(photo.id))}
                onDescribe={(alt) => agree(() => photos.describe(photo.id, alt))}
                onRemove={() => agree(() => photos.remove(photo))}
                onDragStart={() => setDragged(photo.id)}
                onDragEnd={() => setDragged(null)}
                onDropHere={() => {
                  const from = photos.photos.findIndex(({ id }) => id === dragged)
                  if (dragged && from >= 0) move(dragged, from, index)
                  setDragged(null)
                }}
              />
            ))}
            {photos.uploads.map((upload) => (
              <UploadTile
                key={upload.key}
                upload={upload}
                onRetry={() => photos.retry(upload.key)}
                onForget={() => photos.forget(upload.key)}
              />
            ))}
          </ul>
        </>
      )}
      {wanted && (
        <Dialog title={t('phHides')} onClose={() => setWanted(null)}>
          <p>{t('phHidesText')}</p>
          <div className="mt-6 flex flex-wrap justify-end gap-3">
            <Button variant="outline" onClick={() => setWanted(null)}>
              {t('prCancel')}
            </Button>
            <Button
              onClick={() => {
                setAgreed(true)
                setWanted(null)
                wanted()
              }}
            >
              {t('phHidesYes')}
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

/** The photos, and the papers that only the review sees. */
export function StepPhotos() {
  const { t } = useTranslation()
  const { listing } = useForm()
  if (!listing) return <p role="status">{t('phLater')}</p>
  return (
    <div className="space-y-10">
      <Photos listing={listing} />
      <Papers listing={listing} />
    </div>
  )
}
