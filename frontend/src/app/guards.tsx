import { Spinner } from '@/components/ui/spinner'
import { promote, rememberPath } from '@/features/auth/session'
import { useAppStore } from '@/stores/app-store'
import { lazy, useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Navigate, Outlet, useLocation } from 'react-router-dom'

const Unanswered = lazy(() => import('./unanswered').then((module) => ({ default: module.Unanswered })))

function Waiting() {
  const { t } = useTranslation()
  return (
    <div className="pt-28">
      <h1 className="sr-only">{t('loading')}</h1>
      <Spinner />
    </div>
  )
}

/** Lists of an account may be long or short: from the start the footer is where none of them moves it in view. */
export function Protected() {
  const { isAuthenticated, loading } = useAppStore()
  const { pathname, search } = useLocation()
  if (!loading && !isAuthenticated) {
    rememberPath(pathname + search)
    return <Navigate to="/auth/login" replace />
  }
  return <div className="min-h-screen">{loading ? <Waiting /> : <Outlet />}</div>
}

/**
 * Within `Protected`: what loads with the session never says administrator, so this area asks for it.
 *
 * It asks again whenever the session is read anew (as when the tab comes back to the front), and meanwhile keeps
 * what is open: a half-written form must not go. Only a no ends it; an answer that did not come is none, and where
 * nothing is open yet it can be asked for again.
 */
export function AdminOnly() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user)
  const [granted, setGranted] = useState<string | null>(null)
  const [refused, setRefused] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const [attempt, setAttempt] = useState(0)
  if (user?.role === 'admin' && granted !== user.id) setGranted(user.id)
  // The whole user and not only the role: one that became administrator and was read anew at once looks unchanged.
  useEffect(() => {
    if (!user || user.role === 'admin') return
    let current = true
    promote().then(
      (yes) => current && setRefused(!yes),
      (error: unknown) => current && granted !== user.id && setFailure(error),
    )
    return () => {
      current = false
    }
  }, [user, granted, attempt])
  if (refused) return <Navigate to="/dashboard" replace />
  if (user && granted === user.id) return <Outlet />
  if (failure === null) return <Waiting />
  const again = () => {
    setFailure(null)
    setAttempt(attempt + 1)
  }
  return <Unanswered title={t('admin')} error={failure} onRetry={again} />
}
