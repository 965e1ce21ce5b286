import { Spinner } from '@/components/ui/spinner'
import { promote, rememberPath } from '@/features/auth/session'
import { useAppStore } from '@/stores/app-store'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
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

/** Within `Protected`: what loads with the session never says administrator, so this area asks for it. */
export function AdminOnly() {
  const role = useAppStore((state) => state.user?.role)
  const [refused, setRefused] = useState(false)
  useEffect(() => {
    if (role === 'admin') return
    let current = true
    promote()
      .catch(() => false)
      .then((granted) => current && setRefused(!granted))
    return () => {
      current = false
    }
  }, [role])
  if (role === 'admin') return <Outlet />
  return refused ? <Navigate to="/dashboard" replace /> : <Waiting />
}
