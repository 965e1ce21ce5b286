import { messageFor } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import { useAppStore, type User } from '@/stores/app-store'
import type { User as AuthUser } from '@supabase/supabase-js'

function toUser(source: AuthUser): User {
  const name: unknown = source.user_metadata.full_name
  return {
    id: source.id,
    name: typeof name === 'string' ? name : '',
    email: source.email ?? '',
    phone: source.phone ?? '',
    role: 'user',
  }
}

async function refresh() {
  const { setUser, setLoading } = useAppStore.getState()
  try {
    const { auth } = await getSupabase()
    const { data } = await auth.getUser()
    setUser(data.user ? toUser(data.user) : null)
  } catch {
    console.error('AUTH_CHECK_FAILED')
  } finally {
    setLoading(false)
  }
}

/** Follows the session from start-up on; returns the undo. */
export function followSession() {
  let stop = () => {}
  let ended = false
  void getSupabase()
    .then(({ auth }) => {
      if (ended) return
      const { data } = auth.onAuthStateChange((event) => {
        // Calling the client from inside its own callback would wait for itself.
        if (event !== 'INITIAL_SESSION') setTimeout(() => void refresh(), 0)
      })
      stop = () => data.subscription.unsubscribe()
    })
    .catch(() => console.error('AUTH_CHECK_FAILED'))
  void refresh()
  return () => {
    ended = true
    stop()
  }
}

async function withLoading<T>(work: () => Promise<T>) {
  const { setLoading } = useAppStore.getState()
  setLoading(true)
  try {
    return await work()
  } finally {
    setLoading(false)
  }
}

export const signInWithPassword = (email: string, password: string) =>
  withLoading(async () => {
    const { data, error } = await (await getSupabase()).auth.signInWithPassword({ email, password })
    if (data.user) useAppStore.getState().setUser(toUser(data.user))
    return { error }
  })

export const sendCode = (phone: string) =>
  withLoading(async () => {
    const { error } = await (await getSupabase()).auth.signInWithOtp({ phone })
    return { error }
  })

export const verifyCode = (phone: string, token: string) =>
  withLoading(async () => {
    const { data, error } = await (await getSupabase()).auth.verifyOtp({ phone, token, type: 'sms' })
    if (data.user) useAppStore.getState().setUser(toUser(data.user))
    return { error }
  })

/** Where the links of mails lead. */
export const callback = () => `${window.location.origin}/auth/callback`

export const signUp = (values: { email: string; password: string; fullName: string; phone: string }) =>
  withLoading(async () => {
    const data = { full_name: values.fullName, ...(values.phone && { phone: values.phone }) }
    const { auth } = await getSupabase()
    const { email, password } = values
    const { error } = await auth.signUp({ email, password, options: { data, emailRedirectTo: callback() } })
    if (error) throw error
  })

export const signOut = () =>
  withLoading(async () => {
    const { error } = await (await getSupabase()).auth.signOut()
    if (error) throw error
    useAppStore.getState().setUser(null)
  })

export async function logout() {
  try {
    await signOut()
    notify.success('Logged out successfully')
  } catch (error) {
    notify.typed('auth', messageFor(error))
  }
}

const RETURN_KEY = 'nilam-return-to'
export const rememberPath = (path: string) => sessionStorage.setItem(RETURN_KEY, path)

/** The path asked for before sign-in, if it stays on this site; reading it uses it up. */
export function takeRememberedPath() {
  const path = sessionStorage.getItem(RETURN_KEY)
  sessionStorage.removeItem(RETURN_KEY)
  return safePath(path)
}

export function safePath(path: string | null) {
  if (!path) return '/dashboard'
  try {
    const url = new URL(path, window.location.origin)
    return path.startsWith('/') && url.origin === window.location.origin
      ? url.pathname + url.search + url.hash
      : '/dashboard'
  } catch {
    return '/dashboard'
  }
}

/** E.164, with India assumed when no country is given; null when it cannot be a phone number. */
export function toE164(input: string) {
  const text = input.replace(/[\s().-]/g, '')
  const full = text.startsWith('+') ? text : `+91${text.replace(/^0/, '')}`
  return (full.startsWith('+91') ? /^\+91[6-9]\d{9}$/ : /^\+[1-9]\d{7,14}$/).test(full) ? full : null
}
