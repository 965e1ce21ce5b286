import { lettersFor } from '@/i18n'
import { QueryCache, QueryClient } from '@tanstack/react-query'

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('status' in error && typeof error.status === 'number') return error.status
  return 'code' in error && error.code === 'PGRST116' ? 406 : undefined
}

export function shouldRetryRead(failures: number, error: unknown) {
  const status = statusOf(error)
  return !(status !== undefined && status >= 400 && status < 500) && failures < 3
}

/** Whatever comes may be written in letters that the system lacks; nothing waits for them, except where a query does. */
const queryCache = new QueryCache({ onSuccess: (data) => void lettersFor([JSON.stringify(data) ?? null]) })

export const queryClient = new QueryClient({
  queryCache,
  defaultOptions: {
    queries: { staleTime: 300_000, gcTime: 600_000, retry: shouldRetryRead, refetchOnWindowFocus: false },
    // Without a connection a change is refused at once: one that waited would surprise whoever made it.
    mutations: { retry: 1, networkMode: 'always' },
  },
})
