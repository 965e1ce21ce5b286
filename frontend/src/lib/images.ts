/** What is shown where nobody has given a picture. */
export const PLACEHOLDER = '/coworking-placeholder.svg'

const WIDTHS = [320, 480, 640, 768, 1024, 1280, 1536, 1920] as const
const QUALITY = 75
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

/** Only web links leave the page; a stored `javascript:` address is dropped. */
export const webLink = (url: string | null) => (url && /^https?:\/\//i.test(url) ? url : null)
