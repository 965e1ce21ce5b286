import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import { useAppStore, type User } from '@/stores/app-store'
import i18next from 'i18next'
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

/** Counts what is known about the session, so that a slow check cannot bring back what ended meanwhile. */
let knowledge = 0
function learn(user: User | null) {
  knowledge++
  useAppStore.getState().setUser(user)
}

async function refresh() {
  const mine = ++knowledge
  try {
    const { auth } = await getSupabase()
    const { data, error } = await auth.getUser()
    if (error && error.name !== 'AuthSessionMissingError') console.error('AUTH_CHECK_FAILED')
    // A request that did not arrive, as when the page is left meanwhile, says nothing about the session.
    if (error?.name === 'AuthRetryableFetchError') return
    if (mine === knowledge) learn(data.user ? toUser(data.user) : null)
  } catch {
    console.error('AUTH_CHECK_FAILED')
    if (mine === knowledge) learn(null)
  } finally {
    useAppStore.getState().setLoading(false)
  }
}

/** Asks the database whether this person is an administrator; a yes holds until the session next changes. Throws if there is no answer. */
export async function promote() {
  const { data, error } = await (await getSupabase()).rpc('is_admin')
  if (error) throw error
  const { user, setUser } = useAppStore.getState()
  if (!data || !user) return false
  setUser({ ...user, role: 'admin' })
  return true
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
    if (data.user) learn(toUser(data.user))
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
    if (data.user) learn(toUser(data.user))
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
    learn(null)
  })

export async function logout() {
  try {
    await signOut()
    notify.success(i18next.t('okLoggedOut'))
  } catch (error) {
    notify.failure(error, 'sign-out')
  }
}

const RETURN_KEY = 'nilam-return-to'
const RETURN_FOR = 60 * 60 * 1000

/** For this tab, and for an hour for the tab that the link of a mail opens. */
export function rememberPath(path: string) {
  sessionStorage.setItem(RETURN_KEY, path)
  localStorage.setItem(RETURN_KEY, JSON.stringify({ path, until: Date.now() + RETURN_FOR }))
}

function rememberedElsewhere() {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(RETURN_KEY) ?? 'null')
    if (typeof found !== 'object' || found === null || !('path' in found) || !('until' in found)) return null
    return typeof found.path === 'string' && Number(found.until) > Date.now() ? found.path : null
  } catch {
    return null
  }
}

let noted: string | null = null
/** Notes the path before there is a session: the tab that waits for one hears of it too, and uses the path up. */
export function noteRememberedPath() {
  noted = rememberedElsewhere()
}

/** The path asked for before sign-in, if it stays on this site; reading it uses it up. */
export function takeRememberedPath() {
  const path = sessionStorage.getItem(RETURN_KEY) ?? noted ?? rememberedElsewhere()
  noted = null
  sessionStorage.removeItem(RETURN_KEY)
  localStorage.removeItem(RETURN_KEY)
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
