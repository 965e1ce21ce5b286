import { buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { Spinner } from '@/components/ui/spinner'
import { linkError, linkType } from '@/features/auth/link'
import { takeRememberedPath } from '@/features/auth/session'
import { messageFor } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import i18next from 'i18next'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useNavigate } from 'react-router-dom'

export function Component() {
  const { t } = useTranslation()
  const [error, setError] = useState(linkError ? messageFor(linkError) : '')
  const navigate = useNavigate()
  useEffect(() => {
    if (linkError) return
    void getSupabase()
      .then(({ auth }) => auth.getSession())
      .then(({ data }) => {
        if (!data.session) return setError(messageFor('missing confirmation token'))
        // Not by the hook's: another language would take the link a second time.
        notify.success(i18next.t(linkType === 'magiclink' ? 'okWelcome' : 'okVerified'))
        void navigate(takeRememberedPath(), { replace: true })
      })
      .catch((failure: unknown) => setError(messageFor(failure)))
  }, [navigate])
  return (
    <Page title={t(error ? 'linkFailed' : 'signingIn')} noindex narrow>
      {error ? (
        <>
          <p role="alert">{error}</p>
          <Link to="/auth/login" className={buttonVariants({ className: 'mt-6' })}>
            {t('login')}
          </Link>
        </>
      ) : (
        <Spinner />
      )}
    </Page>
  )
}
