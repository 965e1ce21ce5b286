import { buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { Spinner } from '@/components/ui/spinner'
import { takeRememberedPath } from '@/features/auth/session'
import { messageFor } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import { useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'

/** Read once at load: the client library clears the fragment after it has used it. */
const linkError =
  new URLSearchParams(window.location.hash.slice(1)).get('error_description') ??
  new URLSearchParams(window.location.search).get('error_description')

export function Component() {
  const [error, setError] = useState(linkError ? messageFor(linkError) : '')
  const navigate = useNavigate()
  useEffect(() => {
    if (linkError) return
    void getSupabase()
      .then(({ auth }) => auth.getSession())
      .then(({ data }) => {
        if (!data.session) return setError(messageFor('missing confirmation token'))
        notify.success('Email verified successfully!')
        void navigate(takeRememberedPath(), { replace: true })
      })
      .catch((failure: unknown) => setError(messageFor(failure)))
  }, [navigate])
  return (
    <Page title={error ? 'This link did not work' : 'Signing you in'} noindex narrow>
      {error ? (
        <>
          <p role="alert">{error}</p>
          <Link to="/auth/login" className={buttonVariants({ className: 'mt-6' })}>
            Login
          </Link>
        </>
      ) : (
        <Spinner />
      )}
    </Page>
  )
}
