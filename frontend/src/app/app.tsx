import type { QueryClient } from '@tanstack/react-query'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Language } from '@/i18n/use-translation'
import { ErrorBoundary } from './error-boundary'

/** What is around every page, in a browser as where pages are made ahead. */
export function App({ client, children }: { client: QueryClient; children: ReactNode }) {
  return (
    <QueryClientProvider client={client}>
      <Language>
        <ErrorBoundary>{children}</ErrorBoundary>
      </Language>
    </QueryClientProvider>
  )
}
