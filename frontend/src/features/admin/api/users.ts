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

export const usersOptions = (filter: UserFilter) =>
  queryOptions({
    queryKey: adminKeys.list('users', filter),
    queryFn: ({ signal }) => getUsers(filter, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

async function getAdministrators(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.rpc('administrators').abortSignal(signal).retry(false)
  if (error) throw failed(error, status)
  return data.map(({ user_id: id }) => id)
}

export const administratorsOptions = queryOptions({
  queryKey: adminKeys.list('administrators'),
  queryFn: ({ signal }) => getAdministrators(signal),
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
