import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from './keys'
import { anyOf, pageOf, rangeOf } from './page'

export type UserFilter = { q: string; status: 'verified' | 'unverified' | ''; page: number }

async function getUsers({ q, status, page }: UserFilter, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase
    .from('profiles')
    .select(
      'id, full_name, email, phone, phone_verified, verified_buyer, user_type, company, city, created_at',
      { count: 'exact' },
    )
  if (status) query = query.eq('verified_buyer', status === 'verified')
  if (q) query = query.or(anyOf(['full_name', 'email', 'phone', 'company', 'city'], q))
  return pageOf(
    await query
      .order('created_at', { ascending: false })
      .order('id')
      .range(...rangeOf(page))
      .abortSignal(signal)
      .retry(false),
  )
}

async function getAdministrators(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.rpc('administrators').abortSignal(signal).retry(false)
  if (error) throw failed(error, status)
  return data.map(({ user_id: id }) => id)
}

/** A row and what it is marked with come together: a mark that came later would move what is below it. */
async function getMarked(filter: UserFilter, signal: AbortSignal) {
  const [found, administrators] = await Promise.all([getUsers(filter, signal), getAdministrators(signal)])
  return {
    ...found,
    rows: found.rows.map((row) => ({ ...row, administrator: administrators.includes(row.id) })),
  }
}

export const usersOptions = (filter: UserFilter) =>
  queryOptions({
    queryKey: adminKeys.list('users', filter),
    queryFn: ({ signal }) => getMarked(filter, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

async function setVerified({ id, verified }: { id: string; verified: boolean }) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.rpc('set_verified_buyer', { user_id: id, verified })
  if (error) throw failed(error, status)
  if (!data) throw failed({ message: '404' }, 404)
}

export function useVerifyBuyer() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: setVerified,
    onSettled: () => client.invalidateQueries({ queryKey: adminKeys.all }),
  })
}
