import { Spinner } from '@/components/ui/spinner'
import { rememberPath } from '@/features/auth/session'
import { useAppStore } from '@/stores/app-store'
import { Navigate, Outlet, useLocation } from 'react-router-dom'

const Waiting = () => (
  <div className="pt-28">
    <h1 className="sr-only">Loading</h1>
    <Spinner />
  </div>
)

export function Protected({ admin = false }: { admin?: boolean }) {
  const { isAuthenticated, loading, user } = useAppStore()
  const { pathname, search } = useLocation()
  if (loading) return <Waiting />
  if (!isAuthenticated) {
    rememberPath(pathname + search)
    return <Navigate to="/auth/login" replace />
  }
  return admin && user?.role !== 'admin' ? <Navigate to="/dashboard" replace /> : <Outlet />
}
