import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from './keys'
import { pageOf, rangeOf } from './page'

/** What is dealt with and what is not: reports about listings, and messages from the contact form. */
export type DeskFilter = { status: 'open' | 'handled' | ''; page: number }

async function getReports({ status, page }: DeskFilter, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase
    .from('reports')
    .select(
      'id, reason, details, created_at, handled_at, property_id, property:properties(title, slug, status)',
      { count: 'exact' },
    )
  if (status === 'open') query = query.is('handled_at', null)
  if (status === 'handled') query = query.not('handled_at', 'is', null)
  return pageOf(
    await query
      .order('created_at', { ascending: true })
      .order('id')
      .range(...rangeOf(page))
      .abortSignal(signal)
      .retry(false),
  )
}

export const reportsOptions = (filter: DeskFilter) =>
  queryOptions({
    queryKey: adminKeys.list('reports', filter),
    queryFn: ({ signal }) => getReports(filter, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

async function getMessages({ status, page }: DeskFilter, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase.from('contact_messages').select('*', { count: 'exact' })
  if (status === 'open') query = query.is('handled_at', null)
  if (status === 'handled') query = query.not('handled_at', 'is', null)
  return pageOf(
    await query
      .order('created_at', { ascending: true })
      .order('id')
      .range(...rangeOf(page))
      .abortSignal(signal)
      .retry(false),
  )
}

export const messagesOptions = (filter: DeskFilter) =>
  queryOptions({
    queryKey: adminKeys.list('messages', filter),
    queryFn: ({ signal }) => getMessages(filter, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

type Handled = { kind: 'report' | 'contact_message'; id: string; handled: boolean }

async function setHandled({ kind, id, handled }: Handled) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.rpc('set_handled', { kind, p_id: id, handled })
  if (error) throw failed(error, status)
  if (!data) throw failed({ message: '404' }, 404)
}

export function useSetHandled() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: setHandled,
    onSettled: () => client.invalidateQueries({ queryKey: adminKeys.all }),
  })
}
