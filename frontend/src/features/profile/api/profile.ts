import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import type { Tables, TablesUpdate } from '@/types/database'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

export type Profile = Tables<'profiles'>
const profileKey = (user: string) => ['profile', user] as const

async function getProfile(user: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('profiles')
    .select('*')
    .eq('id', user)
    .abortSignal(signal)
    .retry(false)
    .single()
  if (error) throw failed(error, status)
  return data
}

export const profileOptions = (user: string) =>
  queryOptions({
    queryKey: profileKey(user),
    queryFn: ({ signal }) => getProfile(user, signal),
    enabled: user !== '',
  })

async function saveProfile(user: string, changes: TablesUpdate<'profiles'>) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('profiles')
    .update(changes)
    .eq('id', user)
    .select('*')
    .single()
  if (error) throw failed(error, status)
  if (changes.full_name !== undefined) {
    // The session carries the name too, and shows it in the header.
    const answer = await supabase.auth.updateUser({ data: { full_name: changes.full_name } })
    if (answer.error) throw answer.error
  }
  return data
}

export function useSaveProfile(user: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (changes: TablesUpdate<'profiles'>) => saveProfile(user, changes),
    onSuccess: (profile) => client.setQueryData(profileKey(user), profile),
  })
}

const AVATARS = 'avatars'

/** Puts a picture of the person into storage; gives its address. The former one is removed. */
export async function uploadAvatar(user: string, picture: Blob, before: string | null) {
  const supabase = await getSupabase()
  const bucket = supabase.storage.from(AVATARS)
  const path = `${user}/${crypto.randomUUID()}.${picture.type === 'image/webp' ? 'webp' : 'jpg'}`
  const { error } = await bucket.upload(path, picture, { contentType: picture.type })
  if (error) throw error
  const former = before?.split(`/${AVATARS}/`)[1]
  // A picture that stays behind harms nobody.
  if (former?.startsWith(`${user}/`)) await bucket.remove([former]).catch(() => undefined)
  return bucket.getPublicUrl(path).data.publicUrl
}

async function getDeletion(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('account_deletions')
    .select('created_at')
    .abortSignal(signal)
    .retry(false)
    .maybeSingle()
  if (error) throw failed(error, status)
  return data
}

/** Whether the person asked for the account to be deleted. */
export const deletionOptions = (user: string) =>
  queryOptions({
    queryKey: [...profileKey(user), 'deletion'],
    queryFn: ({ signal }) => getDeletion(signal),
    enabled: user !== '',
  })

async function askDeletion(user: string, wanted: boolean) {
  const supabase = await getSupabase()
  const table = supabase.from('account_deletions')
  const { error, status } = wanted ? await table.insert({}) : await table.delete().eq('user_id', user)
  if (error) throw failed(error, status)
}

export function useAskDeletion(user: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wanted: boolean) => askDeletion(user, wanted),
    retry: false,
    onSettled: () => client.invalidateQueries({ queryKey: profileKey(user) }),
  })
}
