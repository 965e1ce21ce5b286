import { tagManagerId } from '@/config/env'
import { linkError } from '@/features/auth/link'
import { followSession } from '@/features/auth/session'
import { loadTagManager, watchVitals } from '@/lib/analytics'
import { messageFor } from '@/lib/errors'
import { queryClient } from '@/lib/query-client'
import { useAppStore } from '@/stores/app-store'
import { notify } from '@/lib/toast'
import { QueryClientProvider } from '@tanstack/react-query'
import i18next from 'i18next'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ErrorBoundary } from './app/error-boundary'
import { Router } from './app/router'
import './i18n'
import './index.css'

// Light is what a visit starts in, whatever an earlier one chose.
useAppStore.getState().setTheme('light')
if (!localStorage.getItem('vite-ui-theme')) localStorage.setItem('vite-ui-theme', 'system')
followSession()
window.addEventListener('offline', () => notify.warning(i18next.t('offline')))
window.addEventListener('online', () => notify.success(i18next.t('online')))
if (import.meta.env.PROD) void navigator.serviceWorker?.register('/sw.js').catch(() => {})
loadTagManager(tagManagerId)
watchVitals()
// A mail's link that failed may lead to a page that knows nothing of links.
if (linkError && !window.location.pathname.startsWith('/auth/')) notify.typed('auth', messageFor(linkError))

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ErrorBoundary>
          <Router />
        </ErrorBoundary>
      </QueryClientProvider>
    </StrictMode>,
  )
