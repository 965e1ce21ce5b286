import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import type { TablesInsert } from '@/types/database'
import type { Photo } from './listing'

export const MOST_PHOTOS = 20
export const PHOTOS = 'property-images'

export async function addPhoto(row: TablesInsert<'property_images'>): Promise<Photo> {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.from('property_images').insert(row).select('*').single()
  if (error) throw failed(error, status)
  return data
}

export async function publicUrl(path: string) {
  const supabase = await getSupabase()
  return supabase.storage.from(PHOTOS).getPublicUrl(path).data.publicUrl
}

/** Writes the places of these photos in the row. */
export async function orderPhotos(photos: readonly Photo[]) {
  const supabase = await getSupabase()
  const rows = photos.map(({ id, property_id, url }, order) => ({ id, property_id, url, order }))
  const { error, status } = await supabase.from('property_images').upsert(rows)
  if (error) throw failed(error, status)
}

/** One photo is the cover; the former one stops being it first, because there cannot be two. */
export async function chooseCover(property: string, id: string) {
  const supabase = await getSupabase()
  const before = await supabase
    .from('property_images')
    .update({ is_cover: false })
    .eq('property_id', property)
    .eq('is_cover', true)
  if (before.error) throw failed(before.error, before.status)
  const { error, status } = await supabase.from('property_images').update({ is_cover: true }).eq('id', id)
  if (error) throw failed(error, status)
}

export async function describePhoto(id: string, alt: string) {
  const supabase = await getSupabase()
  const { error, status } = await supabase
    .from('property_images')
    .update({ alt: alt.trim() || null })
    .eq('id', id)
  if (error) throw failed(error, status)
}

export async function removePhoto(id: string) {
  const supabase = await getSupabase()
  const { error, status } = await supabase.from('property_images').delete().eq('id', id)
  if (error) throw failed(error, status)
}

export async function removeFiles(bucket: string, paths: readonly string[]) {
  if (paths.length === 0) return
  const supabase = await getSupabase()
  const { error } = await supabase.storage.from(bucket).remove([...paths])
  if (error) throw error
}
