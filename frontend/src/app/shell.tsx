import { Footer } from '@/components/layouts/footer'
import { Header } from '@/components/layouts/header'
import { logout } from '@/features/auth/session'
import { pageView } from '@/lib/analytics'
import { replayAround } from '@/lib/early'
import { afterwards } from '@/lib/idle'
import { onFirstNotice } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import {
  lazy,
  startTransition,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Outlet, useLocation, useNavigationType } from 'react-router-dom'
import { CONTENT } from '@/early/state'
import { ErrorBoundary } from './error-boundary'
import { SAME_PAGE } from './same-page'

const Kept = lazy(() => import('./kept').then((module) => ({ default: module.Kept })))
const LiveNotices = lazy(() => import('./live-notices').then((module) => ({ default: module.LiveNotices })))
const Notices = lazy(() => import('./notices').then((module) => ({ default: module.Notices })))

/** Where each page of the history was scrolled to. */
const scrolledTo = new Map<string, number>()
const RESTORE_WITHIN = 3000

/** Goes on trying while the page grows, because what it shows may still be on its way. */
function restoreScroll(top: number) {
  const end = performance.now() + RESTORE_WITHIN
  let frame = 0
  const stop = () => {
    cancelAnimationFrame(frame)
    for (const type of ['wheel', 'touchstart', 'keydown']) removeEventListener(type, stop)
  }
  const step = () => {
    window.scrollTo(0, top)
    if (Math.abs(window.scrollY - top) < 2 || performance.now() > end) stop()
    else frame = requestAnimationFrame(step)
  }
  // Whoever scrolls meanwhile decides.
  for (const type of ['wheel', 'touchstart', 'keydown']) addEventListener(type, stop, { passive: true })
  step()
  return stop
}

/** A number for each page that is gone to. A page that only takes another address says so in its navigation and keeps its number. */
function usePageNumber() {
  const { pathname, state } = useLocation()
  // Back in the history is another page, whatever led there first.
  const stays = useNavigationType() === 'REPLACE' && state === SAME_PAGE
  const [page, setPage] = useState({ pathname, number: 0 })
  if (page.pathname !== pathname) setPage({ pathname, number: page.number + (stays ? 0 : 1) })
  return page.number
}

function useScroll(page: number) {
  const { key, hash } = useLocation()
  const type = useNavigationType()
  const shown = useRef(page)
  // With the page itself: a shorter one moves the scroll at once, which is not where the longer one was left.
  useLayoutEffect(() => {
    window.history.scrollRestoration = 'manual'
    // A reload is the browser's to restore.
    const leave = () => (window.history.scrollRestoration = 'auto')
    const remember = () => scrolledTo.set(key, window.scrollY)
    window.addEventListener('scroll', remember, { passive: true })
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('scroll', remember)
      window.removeEventListener('pagehide', leave)
    }
  }, [key])
  useEffect(() => {
    const moved = shown.current !== page
    shown.current = page
    const before = scrolledTo.get(key)
    if (type === 'POP' && before !== undefined) return restoreScroll(before)
    if (moved && !hash) window.scrollTo(0, 0)
  }, [key, page, hash, type])
}

function usePageChanges(page: number) {
  const { pathname, search } = useLocation()
  const shown = useRef(page)
  const [announcement, setAnnouncement] = useState('')
  useEffect(() => {
    pageView(pathname + search)
  }, [pathname, search])
  useEffect(() => {
    if (shown.current === page) return
    shown.current = page
    // The page may still be on its way; its heading is there a moment later.
    const timer = setTimeout(() => {
      document.querySelector('h1')?.focus({ preventScroll: true })
      setAnnouncement(document.title)
    }, 100)
    return () => clearTimeout(timer)
  }, [page])
  return announcement
}

function onConnection(changed: () => void) {
  for (const type of ['online', 'offline']) addEventListener(type, changed)
  return () => {
    for (const type of ['online', 'offline']) removeEventListener(type, changed)
  }
}

/** As long as there is no connection it says so; a part of the first code, because nothing can be fetched then. */
function OfflineBar() {
  const { t } = useTranslation()
  const online = useSyncExternalStore(
    onConnection,
    () => navigator.onLine,
    () => true,
  )
  if (online) return null
  return (
    <p
      data-slot="offline"
      role="status"
      className="sticky bottom-0 z-30 bg-amber-300 p-2 text-center font-semibold text-slate-900"
    >
      {t('offline')}
    </p>
  )
}

/** The place of notifications comes once the page is there, or with the first of them. */
function NoticesLater() {
  const theme = useAppStore((state) => state.theme)
  const [noticed, setNoticed] = useState(false)
  useEffect(() => {
    const show = () => startTransition(() => setNoticed(true))
    onFirstNotice(show)
    afterwards(show)
  }, [])
  return <Suspense>{noticed && <Notices theme={theme} />}</Suspense>
}

/** News for whoever is signed in. */
function News() {
  const user = useAppStore((state) => (state.loading ? '' : (state.user?.id ?? '')))
  return <Suspense>{user && <LiveNotices key={user} user={user} />}</Suspense>
}

/** Says each new page's title to those who hear the screen. */
function Announcement({ page }: { page: number }) {
  const announcement = usePageChanges(page)
  return (
    <p aria-live="polite" className="sr-only">
      {announcement}
    </p>
  )
}

/** The document has the theme's class; and from here on what is around the page answers. */
function useShell() {
  useEffect(() => {
    const follow = ({ theme }: { theme: string }) =>
      document.documentElement.classList.toggle('dark', theme === 'dark')
    follow(useAppStore.getState())
    replayAround()
    return useAppStore.subscribe(follow)
  }, [])
}

/**
 * What is around every page. It renders only when the address or the language changes: a page that was made ahead, and whose code is not
 * there yet, would give way to nothing when what is around it rendered for any other reason. So each part follows the store by itself.
 */
export function Shell() {
  const { t } = useTranslation()
  const page = usePageNumber()
  useScroll(page)
  useShell()
  return (
    <div className="flex min-h-screen flex-col">
      <a
        href={`#${CONTENT}`}
        className="sr-only z-50 rounded bg-white px-4 py-3 text-slate-900 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t('skip')}
      </a>
      <Header
        onLogout={() => void logout()}
        kept={
          <Suspense fallback={<span className="w-22 shrink-0" />}>
            <Kept />
          </Suspense>
        }
      />
      <main id={CONTENT} tabIndex={-1} className="grow outline-none">
        <ErrorBoundary key={page}>
          <Suspense fallback={<div className="min-h-screen" />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
      <Footer />
      <OfflineBar />
      <Announcement page={page} />
      <News />
      <NoticesLater />
    </div>
  )
}
