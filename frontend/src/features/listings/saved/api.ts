import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import type { Enums } from '@/types/database'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { listingKeys } from '../api/keys'
import { NONE, readFilters, writeFilters, type Filters } from '../filters'

const savedKey = [...listingKeys.all, 'saved'] as const

/** A search as it is kept: its address, so that what searches can do later is kept too. */
export const toQuery = (filters: Filters) => ({
  params: writeFilters({ ...filters, page: 1 }).toString(),
})
export function fromQuery(query: unknown): Filters {
  const params =
    typeof query === 'object' && query !== null && 'params' in query && typeof query.params === 'string'
      ? query.params
      : ''
  return params ? readFilters(new URLSearchParams(params)) : NONE
}

async function getSaved(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('saved_searches')
    .select('id, name, query, alert, created_at')
    .order('created_at', { ascending: false })
    .limit(100)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data
}

export const savedOptions = (user: string) =>
  queryOptions({
    queryKey: [...savedKey, user],
    queryFn: ({ signal }) => getSaved(signal),
    enabled: user !== '',
  })

async function saveSearch({
  name,
  filters,
  alert,
}: {
  name: string
  filters: Filters
  alert: Enums<'search_alert'>
}) {
  const supabase = await getSupabase()
  const { error, status } = await supabase
    .from('saved_searches')
    .insert({ name: name.trim().slice(0, 120), query: toQuery(filters), alert })
  if (error) throw failed(error, status)
}

async function changeSaved({
  id,
  alert,
  gone,
}: {
  id: string
  alert?: Enums<'search_alert'>
  gone?: boolean
}) {
  const supabase = await getSupabase()
  const table = supabase.from('saved_searches')
  const { error, status } = gone
    ? await table.delete().eq('id', id)
    : await table.update({ alert }).eq('id', id)
  if (error) throw failed(error, status)
}

export function useSaveSearch() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: saveSearch,
    // Twice sent would be twice kept.
    retry: false,
    onSettled: () => void client.invalidateQueries({ queryKey: savedKey }),
  })
}

export function useChangeSaved() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: changeSaved,
    onSettled: () => void client.invalidateQueries({ queryKey: savedKey }),
  })
}
