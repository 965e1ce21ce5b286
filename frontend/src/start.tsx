import { tagManagerId } from '@/config/env'
import { linkError, linkType } from '@/features/auth/link'
import { followSession, noteRememberedPath } from '@/features/auth/session'
import { firstLanguage, setLanguage } from '@/i18n'
import { loadTagManager, watchVitals } from '@/lib/analytics'
import { madeFor, replay } from '@/lib/early'
import { messageFor } from '@/lib/errors'
import { afterwards } from '@/lib/idle'
import { queryClient } from '@/lib/query-client'
import { useAppStore } from '@/stores/app-store'
import { notify } from '@/lib/toast'
import i18next from 'i18next'
import { startTransition, StrictMode, useLayoutEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from './app/app'
import { Pages, preloadPage } from './app/router'

/** A page in another language is not held back for longer than this. */
const WORDS_WITHIN = 3000

// Light is what a visit starts in, whatever an earlier one chose.
useAppStore.getState().setTheme('light')
if (!localStorage.getItem('vite-ui-theme')) localStorage.setItem('vite-ui-theme', 'system')
window.addEventListener('offline', () => notify.warning(i18next.t('offline')))
window.addEventListener('online', () => notify.success(i18next.t('online')))
loadTagManager(tagManagerId)
// A mail's link that failed may lead to a page that knows nothing of links.
if (linkError && !window.location.pathname.startsWith('/auth/')) notify.typed('auth', messageFor(linkError))
afterwards(watchVitals)
if (import.meta.env.PROD) afterwards(() => void navigator.serviceWorker?.register('/sw.js').catch(() => {}))
// Opened by a mail's link, in another tab than the one that asked for it.
if (linkType) noteRememberedPath()
followSession()

/** In place of a page that was made for another address, or in another language: from here on it is shown, and answers. */
function Instead() {
  useLayoutEffect(() => {
    delete document.documentElement.dataset.stale
    replay()
  }, [])
  return null
}

const app = (
  <App client={queryClient}>
    <BrowserRouter>
      <Pages />
    </BrowserRouter>
  </App>
)

async function start(root: HTMLElement) {
  const { pathname } = window.location
  const language = firstLanguage()
  if (language === 'en' && madeFor(root.dataset.page, pathname)) {
    // As a transition it gives way to whoever uses the page meanwhile.
    startTransition(() => void hydrateRoot(root, <StrictMode>{app}</StrictMode>))
    return
  }
  const words = language === 'en' ? undefined : setLanguage(language)
  await Promise.race([
    Promise.allSettled([words, preloadPage(pathname)]),
    new Promise((resolve) => setTimeout(resolve, WORDS_WITHIN)),
  ])
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        {app}
        <Instead />
      </StrictMode>,
    ),
  )
}

// What was said of the page that was made ahead, it says itself from now on.
for (const element of document.querySelectorAll('[data-ahead]')) element.remove()
const root = document.getElementById('root')
if (root) void start(root)
