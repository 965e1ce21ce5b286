import { lettersFor } from '@/i18n'
import { failed } from '@/lib/failure'
import { sortImages } from '@/lib/images'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { listingKeys } from './keys'

async function getProperty(slug: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('properties')
    .select('*, images:property_images(*)')
    .eq('slug', slug)
    .abortSignal(signal)
    .retry(false)
    .single()
  if (error) throw failed(error, status)
  await lettersFor([data.title, data.address, data.locality])
  return { ...data, images: sortImages(data.images) }
}

export const propertyOptions = (slug: string) =>
  queryOptions({ queryKey: listingKeys.detail(slug), queryFn: ({ signal }) => getProperty(slug, signal) })

export type DetailedProperty = Awaited<ReturnType<typeof getProperty>>
