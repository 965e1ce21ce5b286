import { messageFor, reportError } from '@/lib/errors'
import { sortImages } from '@/lib/images'
import { notify } from '@/lib/toast'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { listingKeys } from '../api/keys'
import { ownListingKey, type OwnListing, type Photo } from './api/listing'
import {
  addPhoto,
  chooseCover,
  describePhoto,
  MOST_PHOTOS,
  orderPhotos,
  PHOTOS,
  publicUrl,
  removeFiles,
  removePhoto,
} from './api/photos'
import { checkFile } from './upload/check-file'
import { resize } from './upload/resize'
import { send } from './upload/send'

export type Upload = {
  key: string
  name: string
  preview: string
  state: 'waiting' | 'preparing' | 'sending' | 'failed'
  /** What has been sent, from 0 to 1. */
  share: number
  problem?: string
  /** Another try may help: the file itself is fine. */
  again?: boolean
}

const AT_ONCE = 3
const UNDO_FOR = 8000

/** The photos of a listing: those it has, and those on their way. */
export function usePhotos(user: string, listing: OwnListing) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const key = ownListingKey(listing.id)
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const files = useRef(new Map<string, { file: File; abort: AbortController }>())
  const queue = useRef<string[]>([])
  const active = useRef(0)
  /** How many photos there are and will be, which a state would tell too late. */
  const taken = useRef(listing.images.length)
  const orphans = useRef(new Map<string, ReturnType<typeof setTimeout>>())

  const photos = listing.images
  const set = useCallback(
    (change: (photos: Photo[]) => Photo[]) =>
      client.setQueryData<OwnListing>(
        key,
        (before) => before && { ...before, images: sortImages(change(before.images)) },
      ),
    // The key is made anew at each render, from the same id.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [client, listing.id],
  )
  const refresh = useCallback(() => {
    void client.invalidateQueries({ queryKey: ownListingKey(listing.id) })
    void client.invalidateQueries({ queryKey: [...listingKeys.all, 'mine'] })
  }, [client, listing.id])

  const patch = useCallback(
    (id: string, changes: Partial<Upload>) =>
      setUploads((before) => before.map((each) => (each.key === id ? { ...each, ...changes } : each))),
    [],
  )
  const forget = useCallback((id: string) => {
    files.current.get(id)?.abort.abort()
    files.current.delete(id)
    queue.current = queue.current.filter((each) => each !== id)
    setUploads((before) => {
      const gone = before.find((each) => each.key === id)
      if (gone) URL.revokeObjectURL(gone.preview)
      return before.filter((each) => each.key !== id)
    })
  }, [])

  const upload = useCallback(
    async (id: string) => {
      const held = files.current.get(id)
      if (!held) return
      const { file, abort } = held
      patch(id, { state: 'preparing', problem: undefined })
      const checked = await checkFile('photo', file)
      if ('refused' in checked)
        return patch(id, { state: 'failed', problem: t(checked.refused), again: false })
      const answer = await resize(file)
      if ('refused' in answer) return patch(id, { state: 'failed', problem: t(answer.refused), again: false })
      const { blob, width, height } = answer.resized
      const path = `${user}/${listing.id}/${crypto.randomUUID()}.${blob.type === 'image/webp' ? 'webp' : 'jpg'}`
      patch(id, { state: 'sending', share: 0 })
      try {
        await send({
          bucket: PHOTOS,
          path,
          file: blob,
          type: blob.type,
          onProgress: (share) => patch(id, { share }),
          signal: abort.signal,
        })
        const there = client.getQueryData<OwnListing>(ownListingKey(listing.id))?.images ?? []
        const photo = await addPhoto({
          property_id: listing.id,
          path,
          url: await publicUrl(path),
          width,
          height,
          order: Math.max(-1, ...there.map(({ order }) => order)) + 1,
          is_cover: false,
        })
        set((before) => [...before, photo])
        forget(id)
      } catch (error) {
        if (abort.signal.aborted) return
        reportError(error, 'photo-upload')
        patch(id, { state: 'failed', problem: messageFor(error), again: true })
      }
    },
    [client, forget, listing.id, patch, set, t, user],
  )

  const pump = useCallback(() => {
    while (active.current < AT_ONCE) {
      const id = queue.current.shift()
      if (id === undefined) break
      active.current++
      void upload(id).finally(() => {
        active.current--
        if (active.current === 0 && queue.current.length === 0) refresh()
        pump()
      })
    }
  }, [refresh, upload])

  const add = useCallback(
    (chosen: readonly File[]) => {
      const room = Math.max(0, MOST_PHOTOS - taken.current)
      if (chosen.length > room) notify.warning(t('upTooMany', { count: MOST_PHOTOS }))
      const next = chosen.slice(0, room).map((file): Upload => {
        const id = crypto.randomUUID()
        files.current.set(id, { file, abort: new AbortController() })
        queue.current.push(id)
        return { key: id, name: file.name, preview: URL.createObjectURL(file), state: 'waiting', share: 0 }
      })
      taken.current += next.length
      setUploads((before) => [...before, ...next])
      pump()
    },
    [pump, t],
  )
  // What was refused or given up makes room again.
  useEffect(() => {
    taken.current = photos.length + uploads.length
  }, [photos.length, uploads.length])

  const retry = (id: string) => {
    const held = files.current.get(id)
    if (!held) return
    files.current.set(id, { ...held, abort: new AbortController() })
    queue.current.push(id)
    patch(id, { state: 'waiting', problem: undefined, share: 0 })
    pump()
  }

  /** Shows the change at once and takes it back when it fails. */
  const optimistic = async (change: (photos: Photo[]) => Photo[], work: () => Promise<void>) => {
    const before = client.getQueryData<OwnListing>(key)?.images ?? []
    set(change)
    try {
      await work()
    } catch (error) {
      set(() => before)
      notify.failure(error, 'photos')
    }
  }
  const move = (id: string, to: number) => {
    const from = photos.findIndex((photo) => photo.id === id)
    const moved = photos[from]
    if (!moved || to < 0 || to >= photos.length || to === from) return
    const others = photos.filter((photo) => photo.id !== id)
    const next = [...others.slice(0, to), moved, ...others.slice(to)].map((photo, order) => ({
      ...photo,
      order,
    }))
    void optimistic(
      () => next,
      () => orderPhotos(next),
    )
  }
  const cover = (id: string) =>
    void optimistic(
      (before) => before.map((photo) => ({ ...photo, is_cover: photo.id === id })),
      () => chooseCover(listing.id, id),
    )
  const describe = (id: string, alt: string) =>
    void optimistic(
      (before) => before.map((photo) => (photo.id === id ? { ...photo, alt: alt.trim() || null } : photo)),
      () => describePhoto(id, alt),
    )

  const drop = useCallback((path: string) => {
    orphans.current.delete(path)
    void removeFiles(PHOTOS, [path]).catch((error) => reportError(error, 'photo-file'))
  }, [])
  const remove = (photo: Photo) =>
    void optimistic(
      (before) => before.filter(({ id }) => id !== photo.id),
      async () => {
        await removePhoto(photo.id)
        const { path } = photo
        // The file stays as long as it can be called back.
        if (path)
          orphans.current.set(
            path,
            setTimeout(() => drop(path), UNDO_FOR),
          )
        notify.info(t('phRemoved'), {
          duration: UNDO_FOR,
          action: {
            label: t('prUndo'),
            onClick: () => {
              if (path) {
                const timer = orphans.current.get(path)
                if (timer === undefined) return
                clearTimeout(timer)
                orphans.current.delete(path)
              }
              void addPhoto(photo)
                .then((back) => set((before) => [...before, back]))
                .catch((error) => notify.failure(error, 'photos'))
            },
          },
        })
        refresh()
      },
    )

  useEffect(() => {
    const [held, left] = [files.current, orphans.current]
    return () => {
      for (const { abort } of held.values()) abort.abort()
      for (const [path, timer] of left) {
        clearTimeout(timer)
        drop(path)
      }
    }
  }, [drop])

  return { photos, uploads, add, retry, forget, move, cover, describe, remove }
}
export type Photos = ReturnType<typeof usePhotos>
