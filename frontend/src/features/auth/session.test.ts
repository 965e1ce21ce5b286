import { useAppStore } from '@/stores/app-store'
import { beforeEach, expect, it, vi } from 'vitest'

vi.hoisted(() => {
  const nothing = { getItem: () => null, setItem: () => {}, removeItem: () => {} }
  Object.assign(globalThis, { localStorage: nothing })
})
const auth = {
  getUser: vi.fn(),
  signInWithPassword: vi.fn(),
  signUp: vi.fn(),
  signOut: vi.fn(),
  onAuthStateChange: vi.fn(),
}
// The client library itself; the services behind it are those of the browser tests.
vi.mock('@/lib/supabase', () => ({ getSupabase: () => Promise.resolve({ auth }) }))
vi.stubGlobal('window', { location: new URL('https://nilam.example/') })
const { followSession, signInWithPassword, signOut, signUp } = await import('./session')

const refused = Object.assign(new Error('Invalid login credentials'), { name: 'AuthApiError', status: 400 })
const account = {
  id: 'a',
  email: 'a@example.com',
  user_metadata: { full_name: 'Asha' },
  app_metadata: { role: 'admin' },
}
const state = () => useAppStore.getState()
/** What `loading` was at each change while something ran. */
async function loadingDuring(work: () => Promise<unknown>) {
  const seen: boolean[] = []
  const stop = useAppStore.subscribe(({ loading }) => seen.at(-1) !== loading && seen.push(loading))
  await work().catch(() => undefined)
  stop()
  return seen
}
beforeEach(() => {
  vi.resetAllMocks()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  auth.onAuthStateChange.mockReturnValue({ data: { subscription: { unsubscribe: () => {} } } })
  state().reset()
  state().setLoading(false)
})

it('keeps id, name, email, phone and the role "user" of an account', async () => {
  auth.getUser.mockResolvedValue({ data: { user: account }, error: null })
  followSession()
  await vi.waitFor(() => expect(state().user).not.toBeNull())
  expect(state().user).toEqual({ id: 'a', name: 'Asha', email: 'a@example.com', phone: '', role: 'user' })
  auth.getUser.mockResolvedValue({ data: { user: { ...account, user_metadata: {} } }, error: null })
  followSession()
  await vi.waitFor(() => expect(state().user?.name).toBe(''))
})

it('only writes that the first check failed, and nobody is signed in', async () => {
  auth.getUser.mockResolvedValue({ data: { user: null }, error: refused })
  state().setLoading(true)
  followSession()
  await vi.waitFor(() => expect(state().loading).toBe(false))
  expect(console.error).toHaveBeenCalledWith('AUTH_CHECK_FAILED')
  expect(state().isAuthenticated).toBe(false)
})

it('returns the error of a sign-in, and throws that of a sign-up and a sign-out', async () => {
  auth.signInWithPassword.mockResolvedValue({ data: { user: null }, error: refused })
  expect((await signInWithPassword('a@example.com', 'secret')).error).toBe(refused)
  auth.signUp.mockResolvedValue({ data: {}, error: refused })
  await expect(signUp({ email: 'a@example.com', password: 'secret', fullName: 'A', phone: '' })).rejects.toBe(
    refused,
  )
  auth.signOut.mockResolvedValue({ error: refused })
  await expect(signOut()).rejects.toBe(refused)
})

it('is loading while it signs in, up and out, and not after, however it went', async () => {
  auth.signInWithPassword.mockResolvedValue({ data: { user: account }, error: null })
  auth.signUp.mockRejectedValue(refused)
  auth.signOut.mockResolvedValue({ error: refused })
  for (const work of [
    () => signInWithPassword('a@example.com', 'secret'),
    () => signUp({ email: 'a@example.com', password: 'secret', fullName: 'A', phone: '' }),
    () => signOut(),
  ])
    expect(await loadingDuring(work)).toEqual([true, false])
})
