import { useEffect, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { Loading } from '@/components/ui/loading';
import { isAdmin } from '@/features/auth/api/auth';
import { useStore } from '@/lib/store';

export function Protected() {
  const { loading, isAuthenticated } = useStore();
  const { pathname, search } = useLocation();
  if (loading)
    return (
      <div className="pt-24">
        <Loading />
      </div>
    );
  if (!isAuthenticated)
    return <Navigate to="/auth/login" replace state={{ from: pathname + search }} />;
  return <Outlet />;
}

/** Asks the database on entry; what the browser remembers grants nothing. */
export function AdminOnly() {
  const [known, setKnown] = useState<boolean>();
  const promote = useStore((s) => s.promote);
  useEffect(() => {
    void isAdmin()
      .catch(() => false)
      .then((yes) => {
        if (yes) promote();
        setKnown(yes);
      });
  }, [promote]);
  if (known === undefined)
    return (
      <div className="pt-24">
        <Loading />
      </div>
    );
  return known ? <Outlet /> : <Navigate to="/dashboard" replace />;
}
