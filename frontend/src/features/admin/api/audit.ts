import { getSupabase } from '@/lib/supabase'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { adminKeys } from './keys'
import { pageOf, rangeOf } from './page'

async function getAudit(page: number, signal: AbortSignal) {
  const supabase = await getSupabase()
  return pageOf(
    await supabase
      .from('audit_log')
      .select('*', { count: 'exact' })
      .order('at', { ascending: false })
      .order('id')
      .range(...rangeOf(page))
      .abortSignal(signal)
      .retry(false),
  )
}

export const auditOptions = (page: number) =>
  queryOptions({
    queryKey: adminKeys.list('audit', page),
    queryFn: ({ signal }) => getAudit(page, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
