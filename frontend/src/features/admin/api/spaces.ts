import { failed } from '@/lib/failure'
import { sortImages } from '@/lib/images'
import { getSupabase } from '@/lib/supabase'
import type { TablesInsert, TablesUpdate } from '@/types/database'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from './keys'
import { anyOf, pageOf, rangeOf } from './page'

export type SpaceFilter = { q: string; status: 'active' | 'inactive' | ''; page: number }

async function getSpaces({ q, status, page }: SpaceFilter, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase
    .from('coworking_space')
    .select(
      'id, slug, name, locality, city, active, paid_listing, image_url, updated_at, images:coworking_space_images(id, url, order), offerings:coworking_offering_type(id)',
      { count: 'exact' },
    )
  if (status) query = query.eq('active', status === 'active')
  if (q) query = query.or(anyOf(['name', 'slug', 'locality', 'city'], q))
  return pageOf(
    await query
      .order('name')
      .order('id')
      .range(...rangeOf(page))
      .abortSignal(signal)
      .retry(false),
  )
}

export const adminSpacesOptions = (filter: SpaceFilter) =>
  queryOptions({
    queryKey: adminKeys.list('spaces', filter),
    queryFn: ({ signal }) => getSpaces(filter, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

async function getSpace(id: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('coworking_space')
    .select('*, images:coworking_space_images(*), offerings:coworking_offering_type(*)')
    .eq('id', id)
    .abortSignal(signal)
    .retry(false)
    .single()
  if (error) throw failed(error, status)
  return { ...data, images: sortImages(data.images) }
}

export const adminSpaceOptions = (id: string) =>
  queryOptions({
    queryKey: adminKeys.list('space', id),
    queryFn: ({ signal }) => getSpace(id, signal),
    // A form is filled with what is there now.
    staleTime: 0,
    gcTime: 0,
  })

export type EditedSpace = Awaited<ReturnType<typeof getSpace>>

export type Offering = Omit<TablesInsert<'coworking_offering_type'>, 'coworking_space_id'>
export type SpaceValues = {
  space: TablesInsert<'coworking_space'>
  offerings: Offering[]
}

/** Writes the space and what it offers, or nothing of it: kinds that are no longer there go. */
async function saveSpace({ id, values: { space, offerings } }: { id: string | null; values: SpaceValues }) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .rpc('save_space', { p_space: space, p_offerings: offerings, ...(id && { p_id: id }) })
    .single()
  if (error) throw failed(error, status)
  return data
}

function useChange<T, R>(mutationFn: (input: T) => Promise<R>) {
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

export const useSaveSpace = () => useChange(saveSpace)

async function patchSpace({ id, patch }: { id: string; patch: TablesUpdate<'coworking_space'> }) {
  const supabase = await getSupabase()
  const { error, status } = await supabase
    .from('coworking_space')
    .update(patch)
    .eq('id', id)
    .select('id')
    .single()
  if (error) throw failed(error, status)
}

export const usePatchSpace = () => useChange(patchSpace)

async function deleteSpace(id: string) {
  const supabase = await getSupabase()
  const { error, status } = await supabase.from('coworking_space').delete().eq('id', id)
  if (error) throw failed(error, status)
}

export const useDeleteSpace = () => useChange(deleteSpace)
