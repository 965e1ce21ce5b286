import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listingKeys } from './keys'

async function getSuggestions(text: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.rpc('suggest', { q: text }).abortSignal(signal).retry(false)
  if (error) throw failed(error, status)
  return data
}

/** Places and titles for what has been typed so far; a newer question aborts the older one. */
export const suggestionsOptions = (text: string) =>
  queryOptions({
    queryKey: listingKeys.suggest(text.toLowerCase()),
    queryFn: ({ signal }) => getSuggestions(text, signal),
    enabled: text.length >= 2,
    placeholderData: keepPreviousData,
  })

export type Suggestion = Awaited<ReturnType<typeof getSuggestions>>[number]
