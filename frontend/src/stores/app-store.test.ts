import { beforeEach, expect, it, vi } from 'vitest'

const storage = vi.hoisted(() => {
  const values = new Map<string, string>()
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
  Object.assign(globalThis, { localStorage: storage, window: { localStorage: storage } })
  return storage
})
const { useAppStore } = await import('./app-store')
const state = () => useAppStore.getState()
const stored = () => JSON.parse(storage.getItem('nilam-app') ?? '{}').state
const user = { id: '1', name: '', email: 'a@example.com', phone: '', role: 'user' as const }

beforeEach(() => state().reset())

it('starts signed out, loading, light and empty', () => {
  expect(state()).toMatchObject({
    user: null,
    isAuthenticated: false,
    theme: 'light',
    sidebarOpen: false,
    loading: true,
    properties: [],
    selectedProperty: null,
    searchFilters: {},
    comparisonList: [],
  })
})

it('stores five things and nothing else', () => {
  state().setUser(user)
  state().setLoading(false)
  expect(Object.keys(stored()).sort()).toEqual([
    'comparisonList',
    'isAuthenticated',
    'searchFilters',
    'theme',
    'user',
  ])
})

it('compares at most three, each once, and ignores the rest in silence', () => {
  for (const id of ['a', 'a', 'b', 'c', 'd']) state().addToComparison({ id })
  expect(state().comparisonList.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  state().removeFromComparison('b')
  expect(state().comparisonList.map(({ id }) => id)).toEqual(['a', 'c'])
  state().clearComparison()
  expect(state().comparisonList).toEqual([])
})

it('never stores an administrator, nor believes a store that says so', async () => {
  state().setUser({ ...user, role: 'admin' })
  expect(state().user?.role).toBe('admin')
  expect(stored().user.role).toBe('user')
  storage.setItem(
    'nilam-app',
    JSON.stringify({ state: { user: { ...user, role: 'admin' }, isAuthenticated: true }, version: 0 }),
  )
  await useAppStore.persist.rehydrate()
  expect(state().user?.role).toBe('user')
})

it('goes back to the start on reset', () => {
  state().setUser(user)
  state().setTheme('dark')
  state().addToComparison({ id: 'a' })
  state().reset()
  expect(state()).toMatchObject({
    user: null,
    isAuthenticated: false,
    theme: 'light',
    comparisonList: [],
    loading: true,
  })
})
