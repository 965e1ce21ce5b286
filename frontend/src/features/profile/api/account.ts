import { getSupabase } from '@/lib/supabase'

/** Asks for another address; it counts once the links in the mails were followed. */
export async function changeEmail(email: string) {
  const { auth } = await getSupabase()
  const emailRedirectTo = `${window.location.origin}/auth/callback`
  const { error } = await auth.updateUser({ email }, { emailRedirectTo })
  if (error) throw error
}

/** Has a code sent to a new number, which becomes the account's with that code. */
export async function changePhone(phone: string) {
  const { auth } = await getSupabase()
  const { error } = await auth.updateUser({ phone })
  if (error) throw error
}

export async function confirmPhone(phone: string, token: string) {
  const { auth } = await getSupabase()
  const { error } = await auth.verifyOtp({ phone, token, type: 'phone_change' })
  if (error) throw error
}

export async function changePassword(password: string) {
  const { auth } = await getSupabase()
  const { error } = await auth.updateUser({ password })
  if (error) throw error
}

/** Ends every session but this one. */
export async function endOtherSessions() {
  const { auth } = await getSupabase()
  const { error } = await auth.signOut({ scope: 'others' })
  if (error) throw error
}
