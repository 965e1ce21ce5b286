import { firstImage, imageAt, imageSet } from '@/lib/images'
import type { Plan } from './state'

type Images = Parameters<typeof firstImage>[0]
type Row = { images?: Images; image_url?: string | null }

/** Shows the first picture in its place on the page that was made ahead, as soon as it is known which one it is. */
export function firstPicture(kind: NonNullable<Plan['picture']>, data: unknown) {
  const row = (Array.isArray(data) ? data[0] : data) as Row | null | undefined
  const url = row?.images && (firstImage(row.images, kind === 'cover') ?? row.image_url)
  if (!url) return
  const show = () => {
    const place = document.querySelector<HTMLImageElement>('img[data-early]')
    if (!place) return
    const set = imageSet(url)
    if (set) place.srcset = set
    place.src = imageAt(url, 640)
  }
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', show, { once: true })
  else show()
}
