/** What is shown where nobody has given a picture. */
export const PLACEHOLDER = '/coworking-placeholder.svg'

const WIDTHS = [320, 480, 640, 768, 1024, 1280, 1536, 1920] as const
const QUALITY = 75
/** How wide a card's picture is: the column less its margins on a phone, a half or a third of it elsewhere. */
export const CARD_SIZES =
  '(min-width: 1280px) 389px, (min-width: 1024px) 32vw, (min-width: 640px) 48vw, calc(100vw - 34px)'
/** The same of the large picture of a page. */
export const PAGE_SIZES = '(min-width: 1280px) 832px, (min-width: 1024px) 65vw, calc(100vw - 32px)'
const STORED = '/storage/v1/object/public/'

/** A picture in storage in the width given, in the best format that the browser takes; any other as it is. */
export const imageAt = (url: string, width: (typeof WIDTHS)[number]) =>
  url.includes(STORED)
    ? `${url.replace(STORED, '/storage/v1/render/image/public/')}?width=${width}&quality=${QUALITY}`
    : url

export const imageSet = (url: string) =>
  url.includes(STORED) ? WIDTHS.map((width) => `${imageAt(url, width)} ${width}w`).join(', ') : undefined

export const sortImages = <T extends { order: number }>(images: readonly T[]) =>
  [...images].sort((a, b) => a.order - b.order)

/** The picture that stands for all of them: the one that was chosen as cover, where there is such a choice, or the first. */
export function firstImage(
  images: ReadonlyArray<{ url: string; order: number; is_cover?: boolean }>,
  covered: boolean,
) {
  const sorted = sortImages(images)
  return ((covered && sorted.find(({ is_cover: cover }) => cover)) || sorted[0])?.url
}

/** Only web links leave the page; a stored `javascript:` address is dropped. */
export const webLink = (url: string | null) => (url && /^https?:\/\//i.test(url) ? url : null)
