import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export type User = { id: string; name: string; email: string; phone: string; role: 'user' | 'admin' }
type Identified = { id: string }

type State = {
  user: User | null
  isAuthenticated: boolean
  theme: 'light' | 'dark'
  sidebarOpen: boolean
  loading: boolean
  properties: Identified[]
  selectedProperty: Identified | null
  searchFilters: Record<string, string>
  comparisonList: Identified[]
}
type Actions = {
  setUser: (user: User | null) => void
  setTheme: (theme: State['theme']) => void
  setLoading: (loading: boolean) => void
  addToComparison: (item: Identified) => void
  removeFromComparison: (id: string) => void
  clearComparison: () => void
  reset: () => void
}

const asUser = (user: User | null): User | null => user && { ...user, role: 'user' }

const initial: State = {
  user: null,
  isAuthenticated: false,
  theme: 'light',
  sidebarOpen: false,
  loading: true,
  properties: [],
  selectedProperty: null,
  searchFilters: {},
  comparisonList: [],
}

export const useAppStore = create<State & Actions>()(
  persist(
    (set) => ({
      ...initial,
      setUser: (user) => set({ user, isAuthenticated: user !== null }),
      setTheme: (theme) => set({ theme }),
      setLoading: (loading) => set({ loading }),
      addToComparison: (item) =>
        set(({ comparisonList: list }) =>
          list.length >= 3 || list.some(({ id }) => id === item.id)
            ? {}
            : { comparisonList: [...list, item] },
        ),
      removeFromComparison: (id) =>
        set(({ comparisonList: list }) => ({ comparisonList: list.filter((item) => item.id !== id) })),
      clearComparison: () => set({ comparisonList: [] }),
      reset: () => set(initial),
    }),
    {
      name: 'nilam-app',
      // Being an administrator is never stored, so that a changed store grants nothing.
      merge: (stored, current) => {
        const found = typeof stored === 'object' && stored !== null ? (stored as Partial<State>) : {}
        return { ...current, ...found, user: asUser(found.user ?? null) }
      },
      partialize: ({ user, isAuthenticated, theme, searchFilters, comparisonList }) => ({
        user: asUser(user),
        isAuthenticated,
        theme,
        searchFilters,
        comparisonList,
      }),
    },
  ),
)
