import { useState } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import { Loading } from '@/components/ui/loading';
import { card, PageTitle } from '@/components/ui/page';
import { EmailForm } from '@/features/auth/components/email-form';
import { PhoneForm } from '@/features/auth/components/phone-form';
import { useStore } from '@/lib/store';

/** Only a path of this site is followed after signing in. */
const safe = (path: unknown) =>
  typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : '/dashboard';

export default function Login() {
  const [tab, setTab] = useState<'Phone' | 'Email'>('Phone');
  const { loading, isAuthenticated } = useStore();
  const { state, pathname } = useLocation();
  if (isAuthenticated && !loading)
    return <Navigate to={safe((state as { from?: string } | null)?.from)} replace />;
  if (loading && pathname === '/auth/callback')
    return (
      <div className="pt-24">
        <Loading />
      </div>
    );
  return (
    <div className="mx-auto max-w-md px-4 pt-28 pb-16">
      <div className={`${card} space-y-6 p-6 sm:p-8`}>
        <PageTitle>Sign in to Nilam</PageTitle>
        <div role="group" aria-label="Way to sign in" className="grid grid-cols-2 gap-2">
          {(['Phone', 'Email'] as const).map((name) => (
            <Button
              key={name}
              variant={tab === name ? 'secondary' : 'ghost'}
              aria-pressed={tab === name}
              onClick={() => setTab(name)}
            >
              {name}
            </Button>
          ))}
        </div>
        {tab === 'Phone' ? <PhoneForm /> : <EmailForm />}
      </div>
    </div>
  );
}
