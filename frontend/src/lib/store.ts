import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export interface User {
  id: string;
  name: string;
  email: string;
  phone: string;
  role: 'user' | 'admin';
}
export interface Compared {
  id: string;
}
interface State {
  user: User | null;
  isAuthenticated: boolean;
  theme: 'light' | 'dark';
  sidebarOpen: boolean;
  loading: boolean;
  properties: Compared[];
  selectedProperty: Compared | null;
  searchFilters: Record<string, string>;
  comparisonList: Compared[];
}
interface Actions {
  setUser: (user: User | null) => void;
  promote: () => void;
  setTheme: (theme: 'light' | 'dark') => void;
  setLoading: (loading: boolean) => void;
  addToComparison: (item: Compared) => void;
  removeFromComparison: (id: string) => void;
  clearComparison: () => void;
  reset: () => void;
}

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
};

export const useStore = create<State & Actions>()(
  persist(
    (set) => ({
      ...initial,
      setUser: (user) => set({ user, isAuthenticated: user !== null }),
      promote: () => set((s) => ({ user: s.user && { ...s.user, role: 'admin' } })),
      setTheme: (theme) => set({ theme }),
      setLoading: (loading) => set({ loading }),
      addToComparison: (item) =>
        set((s) =>
          s.comparisonList.length >= 3 || s.comparisonList.some((held) => held.id === item.id)
            ? {}
            : { comparisonList: [...s.comparisonList, item] },
        ),
      removeFromComparison: (id) =>
        set((s) => ({ comparisonList: s.comparisonList.filter((item) => item.id !== id) })),
      clearComparison: () => set({ comparisonList: [] }),
      reset: () => set(initial),
    }),
    {
      name: 'nilam-state',
      // The role is written down as "user": a promotion lives in memory only.
      partialize: ({ user, isAuthenticated, theme, searchFilters, comparisonList }) => ({
        user: user && { ...user, role: 'user' as const },
        isAuthenticated,
        theme,
        searchFilters,
        comparisonList,
      }),
      // The applied theme always starts light, whatever was kept.
      merge: (kept, current) => ({ ...current, ...(kept as Partial<State>), theme: 'light' }),
    },
  ),
);
