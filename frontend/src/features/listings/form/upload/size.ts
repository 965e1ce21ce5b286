type Size = { width: number; height: number }

/** The longer side of a photo after it was made smaller. */
export const WIDEST = 1920
/** The least that a photo is taken with, upright or not. */
export const LEAST = { long: 640, short: 480 }

/** The size in which nothing is longer than `most`; a smaller one stays as it is. */
export function fitWithin({ width, height }: Size, most: number): Size {
  const share = Math.min(1, most / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) }
}
