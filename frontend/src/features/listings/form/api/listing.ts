import { failed } from '@/lib/failure'
import { sortImages } from '@/lib/images'
import { getSupabase } from '@/lib/supabase'
import type { Tables, TablesInsert, TablesUpdate } from '@/types/database'
import { queryOptions } from '@tanstack/react-query'
import { listingKeys } from '../../api/keys'

export type Photo = Tables<'property_images'>
export type OwnListing = Tables<'properties'> & { images: Photo[] }
const WITH_IMAGES = '*, images:property_images(*)'

export const ownListingKey = (id: string) => [...listingKeys.all, 'own', id] as const

async function getOwn(user: string, id: string, signal: AbortSignal): Promise<OwnListing> {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('properties')
    .select(WITH_IMAGES)
    .eq('id', id)
    // Also a public listing of somebody else can be read, but not edited.
    .eq('owner_id', user)
    .abortSignal(signal)
    .retry(false)
    .single()
  if (error) throw failed(error, status)
  return { ...data, images: sortImages(data.images) }
}

export const ownListingOptions = (user: string, id: string) =>
  queryOptions({
    queryKey: ownListingKey(id),
    queryFn: ({ signal }) => getOwn(user, id, signal),
    enabled: user !== '' && id !== '',
    // What was typed elsewhere meanwhile is not in here.
    staleTime: 0,
    refetchOnReconnect: false,
  })

export async function createListing(
  user: string,
  row: TablesUpdate<'properties'> & Pick<TablesInsert<'properties'>, 'intent' | 'property_type'>,
): Promise<OwnListing> {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('properties')
    // The service makes the slug itself.
    .insert({ ...row, owner_id: user, status: 'draft', slug: '' })
    .select(WITH_IMAGES)
    .single()
  if (error) throw failed(error, status)
  return data
}

/** One row back, or 406: it is gone or somebody else's. */
export async function saveListing(id: string, row: TablesUpdate<'properties'>): Promise<OwnListing> {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('properties')
    .update(row)
    .eq('id', id)
    .select(WITH_IMAGES)
    .single()
  if (error) throw failed(error, status)
  return { ...data, images: sortImages(data.images) }
}
