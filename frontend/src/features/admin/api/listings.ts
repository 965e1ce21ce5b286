import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import type { Enums } from '@/types/database'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from './keys'
import { anyOf, pageOf, rangeOf } from './page'

export type ListingFilter = { q: string; status: Enums<'property_status'> | ''; page: number }

async function getListings({ q, status, page }: ListingFilter, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase
    .from('properties')
    .select(
      'id, slug, title, status, intent, property_type, price, locality, city, featured, verified, rera_number, view_count, enquiry_count, updated_at, owner:profiles(full_name, email, phone)',
      { count: 'exact' },
    )
  if (status) query = query.eq('status', status)
  if (q) query = query.or(anyOf(['title', 'slug', 'locality', 'city'], q))
  return pageOf(
    await query
      .order('updated_at', { ascending: false })
      .order('id')
      .range(...rangeOf(page))
      .abortSignal(signal)
      .retry(false),
  )
}

export const listingsOptions = (filter: ListingFilter) =>
  queryOptions({
    queryKey: adminKeys.list('listings', filter),
    queryFn: ({ signal }) => getListings(filter, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

type Mark = { id: string; mark: { featured: boolean } | { verified: boolean } }

async function markListing({ id, mark }: Mark) {
  const supabase = await getSupabase()
  const { error, status } = await supabase.from('properties').update(mark).eq('id', id).select('id').single()
  if (error) throw failed(error, status)
}

export function useMarkListing() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: markListing,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: adminKeys.all }),
        client.invalidateQueries({ queryKey: ['listings'] }),
      ]),
  })
}
