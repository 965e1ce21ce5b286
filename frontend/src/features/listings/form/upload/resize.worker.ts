import { fitWithin, LEAST, WIDEST } from './size'

export type Resized = { blob: Blob; width: number; height: number }
export type Answer = { resized: Resized } | { refused: 'upTooSmall' | 'upUnreadable' }

/** Drawn anew, so nothing of the file but its picture is left: no place, no camera. */
async function resize(file: Blob): Promise<Answer> {
  let bitmap: ImageBitmap
  try {
    bitmap = await createImageBitmap(file)
  } catch {
    return { refused: 'upUnreadable' }
  }
  const { width, height } = bitmap
  if (Math.max(width, height) < LEAST.long || Math.min(width, height) < LEAST.short) {
    bitmap.close()
    return { refused: 'upTooSmall' }
  }
  const size = fitWithin({ width, height }, WIDEST)
  const canvas = new OffscreenCanvas(size.width, size.height)
  const context = canvas.getContext('2d')
  if (!context) return { refused: 'upUnreadable' }
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, size.width, size.height)
  bitmap.close()
  let blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })
  // A browser that cannot write WebP answers with a PNG, which is too large for a photo.
  if (blob.type !== 'image/webp') blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.85 })
  return { resized: { blob, ...size } }
}

self.onmessage = ({ data }: MessageEvent<{ id: number; file: Blob }>) => {
  void resize(data.file)
    .catch((): Answer => ({ refused: 'upUnreadable' }))
    .then((answer) => self.postMessage({ id: data.id, answer }))
}
