const SIDE = 512

/** The middle of a picture as a small square. Drawn anew, so nothing but the picture is left of the file. */
export async function square(file: Blob) {
  const bitmap = await createImageBitmap(file)
  const side = Math.min(bitmap.width, bitmap.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.min(SIDE, side)
  const context = canvas.getContext('2d')
  const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2]
  context?.drawImage(bitmap, left, top, side, side, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  const as = (type: string) => new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.85))
  const made = await as('image/webp')
  // A browser that cannot write WebP answers with a PNG.
  const blob = made?.type === 'image/webp' ? made : await as('image/jpeg')
  if (!blob) throw new Error('The picture could not be drawn.')
  return blob
}
