import { Button, buttonVariants } from '@/components/ui/button'
import { LANGUAGES, setLanguage, type Language } from '@/i18n'
import { cn } from '@/lib/cn'
import { useAppStore } from '@/stores/app-store'
import { useLiveStore } from '@/stores/live-store'
import { Menu, Moon, Sun, X } from 'lucide-react'
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useLocation } from 'react-router-dom'

const SHORT: Readonly<Record<Language, string>> = { en: 'EN', hi: 'हि', ta: 'த' }

function onScroll(changed: () => void) {
  window.addEventListener('scroll', changed, { passive: true })
  return () => window.removeEventListener('scroll', changed)
}
const useScrolled = () =>
  useSyncExternalStore(
    onScroll,
    () => window.scrollY > 0,
    () => false,
  )

/**
 * A disclosure: closes on Escape (focus goes back), on a click outside or on a link, and on back and forward.
 * A page that arrives late, as after a redirect, does not close what was opened while waiting for it.
 */
function useDisclosure() {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    const close = () => setOpen(false)
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setOpen(false)
      trigger.current?.focus()
    }
    const onClick = (event: MouseEvent) => {
      // The path as it was at the click: an icon that the click itself replaced is no longer in the document.
      const path = event.composedPath()
      if (root.current && !path.includes(root.current)) close()
      if (path.some((element) => element instanceof HTMLAnchorElement)) close()
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('click', onClick)
    window.addEventListener('popstate', close)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('click', onClick)
      window.removeEventListener('popstate', close)
    }
  }, [open])
  return { open, toggle: () => setOpen((value) => !value), root, trigger }
}

/** How much is new, on the way to it; the name of the button says it too. */
function Badge() {
  const { t } = useTranslation()
  const count = useLiveStore((state) => state.newEnquiries)
  if (count === 0) return null
  return (
    <span
      data-slot="badge"
      aria-hidden
      title={t('newEnquiries', { count })}
      className="absolute top-0 right-0 min-w-5 rounded-full bg-red-700 px-1 text-center text-xs leading-5 font-bold text-white"
    >
      {count > 99 ? '99+' : count}
    </span>
  )
}

function AccountItems({ onLogout }: { onLogout: () => void }) {
  const { t } = useTranslation()
  const newEnquiries = useLiveStore((state) => state.newEnquiries)
  const admin = useAppStore((state) => state.user?.role === 'admin')
  const item = 'block w-full rounded-lg px-3 py-2.5 text-left hover:bg-slate-500/15'
  return (
    <>
      <Link className={item} to="/profile">
        {t('profile')}
      </Link>
      <Link className={item} to="/my-listings">
        {t('myListings')}
      </Link>
      <Link className={item} to="/dashboard">
        {t('dashboard')}
        {newEnquiries > 0 && (
          <span className="ml-2 rounded-full bg-brand px-2 py-0.5 text-xs font-bold text-white">
            <span aria-hidden>{newEnquiries}</span>
            <span className="sr-only">{t('newEnquiries', { count: newEnquiries })}</span>
          </span>
        )}
      </Link>
      <Link className={item} to="/ux-showcase">
        {t('uxShowcase')}
      </Link>
      <Link className={item} to="/contacted-properties">
        {t('contacted')}
      </Link>
      <Link className={item} to="/shortlisted-properties">
        {t('shortlist')}
      </Link>
      <Link className={item} to="/viewed-properties">
        {t('viewed')}
      </Link>
      {admin && (
        <Link className={item} to="/admin">
          {t('admin')}
        </Link>
      )}
      <button type="button" className={item} onClick={onLogout}>
        {t('logout')}
      </button>
    </>
  )
}

/** `kept` leads to what the visitor keeps, and says how much it is. */
export function Header({ onLogout, kept }: { onLogout: () => void; kept?: ReactNode }) {
  const { t, language } = useTranslation()
  const isAuthenticated = useAppStore((state) => state.isAuthenticated)
  const user = useAppStore((state) => state.user)
  const theme = useAppStore((state) => state.theme)
  const setTheme = useAppStore((state) => state.setTheme)
  const newEnquiries = useLiveStore((state) => state.newEnquiries)
  const scrolled = useScrolled()
  const { pathname } = useLocation()
  const account = useDisclosure()
  const mobile = useDisclosure()
  const panel = 'bg-white text-slate-900 dark:bg-slate-900 dark:text-slate-100'
  const named = (name: string) =>
    newEnquiries > 0 ? `${name}, ${t('newEnquiries', { count: newEnquiries })}` : name
  const chooseTheme = () => {
    const next = theme === 'light' ? 'dark' : 'light'
    localStorage.setItem('vite-ui-theme', next)
    setTheme(next)
  }
  return (
    <header
      data-slot="header"
      className={cn(
        'fixed inset-x-0 top-0 z-40 border-b transition-colors',
        scrolled || mobile.open
          ? 'border-slate-200 bg-white dark:border-slate-800 dark:bg-slate-950'
          : 'border-transparent bg-transparent',
      )}
    >
      <div ref={mobile.root}>
        <div className="mx-auto flex h-16 max-w-7xl items-center px-4 sm:gap-1 sm:px-6">
          <Link
            to="/"
            aria-label="Nilam"
            className="mr-auto flex items-center gap-2 text-xl font-bold"
            onClick={(event) => {
              if (pathname !== '/') return
              event.preventDefault()
              window.scrollTo({ top: 0, behavior: 'smooth' })
            }}
          >
            <img src="/logo.svg" alt="" width="36" height="36" className="shrink-0" />
            <span className="max-[386px]:hidden">Nilam</span>
          </Link>
          <Link to="/commercial" className={cn(buttonVariants({ variant: 'ghost' }), 'max-xl:hidden')}>
            {t('commercial')}
          </Link>
          <Link to="/coworking" className={cn(buttonVariants({ variant: 'ghost' }), 'max-xl:hidden')}>
            {t('coworking')}
          </Link>
          {kept}
          <Link
            to={isAuthenticated ? '/list-property' : '/auth/login'}
            className={cn(buttonVariants(), 'max-xl:hidden')}
          >
            {t('listProperty')}
          </Link>
          <div className="relative shrink-0 rounded-lg max-sm:has-focus-visible:outline-3 max-sm:has-focus-visible:outline-blue-600">
            {/* On a phone the language is a letter or two, and the list lies over them. */}
            <span
              aria-hidden
              className="flex size-11 items-center justify-center text-sm font-semibold sm:hidden"
            >
              {SHORT[language as Language]}
            </span>
            <select
              aria-label={t('language')}
              value={language}
              onChange={(event) => void setLanguage(event.target.value as Language)}
              className="h-11 rounded-lg bg-transparent px-1 text-sm *:text-slate-900 max-sm:absolute max-sm:inset-0 max-sm:size-11 max-sm:opacity-0"
            >
              {Object.entries(LANGUAGES).map(([code, name]) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <Button
            variant="ghost"
            size="icon"
            onClick={chooseTheme}
            aria-label={t(theme === 'light' ? 'toDark' : 'toLight')}
          >
            {theme === 'light' ? (
              <Moon aria-hidden className="size-5" />
            ) : (
              <Sun aria-hidden className="size-5" />
            )}
          </Button>
          {isAuthenticated ? (
            <div ref={account.root} className="relative hidden xl:block">
              <button
                ref={account.trigger}
                type="button"
                aria-expanded={account.open}
                aria-label={named(user?.name || user?.email || user?.phone || t('profile'))}
                onClick={account.toggle}
                className="relative flex size-11 items-center justify-center"
              >
                <img src="/avatar.svg" alt="" width="36" height="36" />
                <Badge />
              </button>
              {account.open && (
                <div
                  className={cn(
                    'absolute right-0 mt-2 w-52 rounded-xl border border-slate-200 p-2 shadow-lg dark:border-slate-700',
                    panel,
                  )}
                >
                  <AccountItems onLogout={onLogout} />
                </div>
              )}
            </div>
          ) : (
            <Link to="/auth/login" className={cn(buttonVariants({ variant: 'outline' }), 'max-xl:hidden')}>
              {t('login')}
            </Link>
          )}
          <Button
            ref={mobile.trigger}
            variant="ghost"
            size="icon"
            className="relative xl:hidden"
            aria-expanded={mobile.open}
            aria-label={named(t('menu'))}
            onClick={mobile.toggle}
          >
            {mobile.open ? <X aria-hidden /> : <Menu aria-hidden />}
            {!mobile.open && <Badge />}
          </Button>
        </div>
        {mobile.open && (
          <nav
            aria-label={t('menu')}
            className={cn('space-y-1 border-t border-slate-200 p-4 xl:hidden dark:border-slate-800', panel)}
          >
            <Link className="block px-3 py-2.5" to="/commercial">
              {t('commercial')}
            </Link>
            <Link className="block px-3 py-2.5" to="/coworking">
              {t('coworking')}
            </Link>
            <Link className="block px-3 py-2.5" to={isAuthenticated ? '/list-property' : '/auth/login'}>
              {t('listProperty')}
            </Link>
            {isAuthenticated ? (
              <AccountItems onLogout={onLogout} />
            ) : (
              <>
                <Link className="block px-3 py-2.5" to="/auth/login">
                  {t('login')}
                </Link>
              </>
            )}
          </nav>
        )}
      </div>
    </header>
  )
}
