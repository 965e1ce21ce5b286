import { Spinner } from '@/components/ui/spinner'
import { promote, rememberPath } from '@/features/auth/session'
import { useAppStore } from '@/stores/app-store'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Navigate, Outlet, useLocation } from 'react-router-dom'

function Waiting() {
  const { t } = useTranslation()
  return (
    <div className="pt-28">
      <h1 className="sr-only">{t('loading')}</h1>
      <Spinner />
    </div>
  )
}

export function Protected() {
  const { isAuthenticated, loading } = useAppStore()
  const { pathname, search } = useLocation()
  if (loading) return <Waiting />
  if (!isAuthenticated) {
    rememberPath(pathname + search)
    return <Navigate to="/auth/login" replace />
  }
  return <Outlet />
}

/**
 * Within `Protected`: what loads with the session never says administrator, so this area asks for it.
 *
 * It asks again whenever the session is read anew (as when the tab comes back to the front), and meanwhile keeps
 * what is open: a half-written form must not go. Only a no ends it; an answer that did not come is none.
 */
export function AdminOnly() {
  const user = useAppStore((state) => state.user)
  const [granted, setGranted] = useState<string | null>(null)
  const [refused, setRefused] = useState(false)
  if (user?.role === 'admin' && granted !== user.id) setGranted(user.id)
  // The whole user and not only the role: one that became administrator and was read anew at once looks unchanged.
  useEffect(() => {
    if (!user || user.role === 'admin') return
    let current = true
    promote()
      .catch(() => granted === user.id)
      .then((yes) => current && setRefused(!yes))
    return () => {
      current = false
    }
  }, [user, granted])
  if (refused) return <Navigate to="/dashboard" replace />
  return user && granted === user.id ? <Outlet /> : <Waiting />
}
