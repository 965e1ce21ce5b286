import { Button, buttonVariants } from '@/components/ui/button'
import { StoredImage } from '@/components/ui/stored-image'
import { cn } from '@/lib/cn'
import { messageFor } from '@/lib/errors'
import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { ArrowLeft, ArrowRight, ImagePlus, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { kindOf, MAX_BYTES, useOrderImages, useRemoveImage, useUploadImages } from '../api/space-images'
import type { EditedSpace } from '../api/spaces'
import { Confirm } from './confirm'

const MOST = 20
type Image = EditedSpace['images'][number]

/** What cannot be a picture here, said before anything is sent. */
async function problemOf(file: File) {
  if (file.size > MAX_BYTES) return 'adFileLarge'
  return kindOf(new Uint8Array(await file.slice(0, 16).arrayBuffer())) ? null : 'adFileType'
}

export function SpaceImages({ space }: { space: EditedSpace }) {
  const { t } = useTranslation()
  const id = useId()
  const user = useAppStore((state) => state.user?.id ?? '')
  const upload = useUploadImages()
  const remove = useRemoveImage()
  const order = useOrderImages()
  const [problem, setProblem] = useState('')
  const [asked, setAsked] = useState<Image | null>(null)
  const { images } = space
  const last = images[images.length - 1]
  const take = async (files: readonly File[]) => {
    setProblem('')
    const fitting: File[] = []
    for (const file of files.slice(0, MOST - images.length)) {
      const found = await problemOf(file)
      if (found) setProblem(`${file.name}: ${t(found)}`)
      else fitting.push(file)
    }
    if (fitting.length)
      upload.mutate(
        { user, space: space.id, files: fitting, from: (last?.order ?? -1) + 1 },
        { onError: (error) => setProblem(messageFor(error)) },
      )
  }
  const move = (index: number, step: number) => {
    const ids = images.map((image) => image.id)
    const [moved] = ids.splice(index, 1)
    if (moved) ids.splice(index + step, 0, moved)
    order.mutate(ids, { onError: (error) => notify.failure(error, 'space-images') })
  }
  return (
    <section data-slot="space-images" aria-labelledby={`${id}-title`} className="mb-8">
      <h3 id={`${id}-title`} className="text-lg font-semibold">
        {t('adPicturesTitle')}
      </h3>
      <p className="mt-1 text-sm text-slate-700 dark:text-slate-300">{t('adPicturesHint', { most: MOST })}</p>
      {images.length > 0 && (
        <ol className="mt-4 grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
          {images.map((image, index) => (
            <li
              key={image.id}
              data-slot="space-image"
              className="overflow-hidden rounded-xl border border-slate-200 bg-white dark:border-slate-800 dark:bg-slate-900"
            >
              <StoredImage
                source={image.url}
                alt={t('cwImageOf', { name: space.name, index: index + 1, count: images.length })}
                width={320}
                height={240}
                sizes="(min-width: 1024px) 20vw, 50vw"
                loading="lazy"
                className="aspect-4/3 w-full"
              />
              <div className="flex items-center justify-between p-1">
                <Button
                  size="icon"
                  variant="ghost"
                  disabled={index === 0 || order.isPending}
                  aria-label={t('adMoveEarlier', { number: index + 1 })}
                  onClick={() => move(index, -1)}
                >
                  <ArrowLeft aria-hidden className="size-4" />
                </Button>
                <Button
                  size="icon"
                  variant="ghost"
                  // A picture that is on its way to another place cannot be hit.
                  disabled={remove.isPending || order.isPending}
                  aria-label={t('adRemovePicture', { number: index + 1 })}
                  onClick={() => setAsked(image)}
                >
                  <Trash2 aria-hidden className="size-4" />
                </Button>
                <Button
                  size="icon"
                  variant="ghost"
                  disabled={index === images.length - 1 || order.isPending}
                  aria-label={t('adMoveLater', { number: index + 1 })}
                  onClick={() => move(index, 1)}
                >
                  <ArrowRight aria-hidden className="size-4" />
                </Button>
              </div>
            </li>
          ))}
        </ol>
      )}
      <p role="alert" className="mt-2 text-sm text-red-700 dark:text-red-300">
        {problem}
      </p>
      <label
        htmlFor={id}
        className={cn(
          buttonVariants({ variant: 'outline' }),
          'mt-2 cursor-pointer has-focus-visible:outline-3 has-focus-visible:outline-blue-600',
        )}
      >
        <ImagePlus aria-hidden className="size-4" /> {t(upload.isPending ? 'adUploading' : 'adAddPictures')}
        <input
          id={id}
          type="file"
          multiple
          accept="image/jpeg,image/png,image/webp,image/avif"
          className="sr-only"
          disabled={upload.isPending || images.length >= MOST}
          onChange={({ target }) => {
            void take([...(target.files ?? [])])
            // The same file may be picked again after it was refused.
            target.value = ''
          }}
        />
      </label>
      {asked && (
        <Confirm
          title={t('adRemovePictureAsk')}
          action={t('adDelete')}
          destructive
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(asked, { onSuccess: () => setAsked(null) })}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  )
}
