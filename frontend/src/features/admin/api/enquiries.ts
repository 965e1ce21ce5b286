import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import type { Enums } from '@/types/database'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from './keys'
import { anyOf, pageOf, rangeOf } from './page'

export type EnquiryFilter = { q: string; status: Enums<'enquiry_status'> | ''; page: number }

async function getEnquiries({ q, status, page }: EnquiryFilter, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase
    .from('enquiries')
    .select(
      'id, name, phone, email, message, status, created_at, property:properties(title, slug), owner:profiles!enquiries_owner_id_fkey(full_name, email)',
      { count: 'exact' },
    )
  if (status) query = query.eq('status', status)
  if (q) query = query.or(anyOf(['name', 'email', 'phone', 'message'], q))
  return pageOf(
    await query
      .order('created_at', { ascending: false })
      .order('id')
      .range(...rangeOf(page))
      .abortSignal(signal)
      .retry(false),
  )
}

export const enquiriesOptions = (filter: EnquiryFilter) =>
  queryOptions({
    queryKey: adminKeys.list('enquiries', filter),
    queryFn: ({ signal }) => getEnquiries(filter, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

async function setStatus({ id, to }: { id: string; to: Enums<'enquiry_status'> }) {
  const supabase = await getSupabase()
  const { error, status } = await supabase
    .from('enquiries')
    .update({ status: to })
    .eq('id', id)
    .select('id')
    .single()
  if (error) throw failed(error, status)
}

export function useSetEnquiryStatus() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: setStatus,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: adminKeys.all }),
        client.invalidateQueries({ queryKey: ['enquiries'] }),
      ]),
  })
}
