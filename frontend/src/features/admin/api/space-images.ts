import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from './keys'

const BUCKET = 'coworking-images'
export const MAX_BYTES = 10 * 1024 * 1024
const MAX_SIDE = 1920

/** The kind of picture that these first bytes begin, whatever the file is called. */
export function kindOf(bytes: Uint8Array): 'image/jpeg' | 'image/png' | 'image/webp' | 'image/avif' | null {
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg'
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp'
  if (text(4, 8) === 'ftyp' && ['avif', 'avis'].includes(text(8, 12))) return 'image/avif'
  return null
}

/** Drawn anew, so that nothing of the camera or the place it was taken at goes along. */
async function redraw(file: Blob) {
  const bitmap = await createImageBitmap(file)
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(bitmap.width * scale)
  canvas.height = Math.round(bitmap.height * scale)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.85))
  if (!blob) throw new Error('invalid')
  return blob
}

type Upload = { user: string; space: string; files: readonly File[]; from: number }

async function uploadImages({ user, space, files, from }: Upload) {
  const supabase = await getSupabase()
  for (const [index, file] of files.entries()) {
    const blob = await redraw(file)
    const path = `${user}/${space}/${crypto.randomUUID()}.${blob.type === 'image/png' ? 'png' : 'webp'}`
    const { error } = await supabase.storage.from(BUCKET).upload(path, blob, { contentType: blob.type })
    if (error) throw error
    const { publicUrl: url } = supabase.storage.from(BUCKET).getPublicUrl(path).data
    const written = await supabase
      .from('coworking_space_images')
      .insert({ coworking_space_id: space, url, order: from + index })
    if (written.error) throw failed(written.error, written.status)
  }
}

async function removeImage({ id, url }: { id: string; url: string }) {
  const supabase = await getSupabase()
  const { error, status } = await supabase.from('coworking_space_images').delete().eq('id', id)
  if (error) throw failed(error, status)
  // Pictures of the demonstration may be shared; only what was put into this bucket is taken out of it.
  const path = url.split(`/object/public/${BUCKET}/`)[1]
  if (path) await supabase.storage.from(BUCKET).remove([decodeURIComponent(path)])
}

async function orderImages(ids: readonly string[]) {
  const supabase = await getSupabase()
  for (const [order, id] of ids.entries()) {
    const { error, status } = await supabase.from('coworking_space_images').update({ order }).eq('id', id)
    if (error) throw failed(error, status)
  }
}

function useChange<T>(mutationFn: (input: T) => Promise<void>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    retry: false,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: adminKeys.all }),
        client.invalidateQueries({ queryKey: ['coworking'] }),
      ]),
  })
}

export const useUploadImages = () => useChange(uploadImages)
export const useRemoveImage = () => useChange(removeImage)
export const useOrderImages = () => useChange(orderImages)
