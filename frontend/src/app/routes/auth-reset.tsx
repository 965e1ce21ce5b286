import { Button, buttonVariants } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Page } from '@/components/ui/page'
import { Spinner } from '@/components/ui/spinner'
import { linkError } from '@/features/auth/link'
import { messageFor } from '@/lib/errors'
import type { FieldErrors } from '@/lib/fields'
import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import { useEffect, useState, type FormEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useNavigate } from 'react-router-dom'

/** The link of the mail signed its owner in; without a session there is nothing to change. */
function useLinkProblem() {
  const [problem, setProblem] = useState<string | undefined>(linkError ? messageFor(linkError) : undefined)
  useEffect(() => {
    if (linkError) return
    void getSupabase()
      .then(({ auth }) => auth.getSession())
      .then(({ data }) => setProblem(data.session ? '' : messageFor('missing confirmation token')))
      .catch((failure: unknown) => setProblem(messageFor(failure)))
  }, [])
  return problem
}

export function Component() {
  const { t } = useTranslation()
  const problem = useLinkProblem()
  const [errors, setErrors] = useState<FieldErrors>({})
  const [failure, setFailure] = useState('')
  const [busy, setBusy] = useState(false)
  const navigate = useNavigate()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const password = String(form.get('password') ?? '')
    const found: FieldErrors = {}
    if (password.length < 8) found.password = t('passwordShort')
    if (password !== form.get('confirmPassword')) found.confirmPassword = t('passwordsDiffer')
    setErrors(found)
    setFailure('')
    if (Object.keys(found).length) return
    setBusy(true)
    try {
      const { error } = await (await getSupabase()).auth.updateUser({ password })
      if (error) throw error
      notify.success(t('passwordChanged'))
      await navigate('/dashboard')
    } catch (error) {
      setFailure(messageFor(error))
    } finally {
      setBusy(false)
    }
  }
  if (problem)
    return (
      <Page title={t('linkFailed')} noindex narrow>
        <p role="alert">{problem}</p>
        <Link to="/auth/login?with=forgot" className={buttonVariants({ className: 'mt-6' })}>
          {t('newLink')}
        </Link>
      </Page>
    )
  return (
    <Page title={t('resetTitle')} noindex narrow>
      {problem === undefined ? (
        <Spinner />
      ) : (
        <form noValidate className="max-w-md space-y-4" onSubmit={(event) => void submit(event)}>
          {failure && (
            <p
              role="alert"
              className="rounded-lg bg-red-50 p-3 text-red-800 dark:bg-red-950 dark:text-red-100"
            >
              {failure}
            </p>
          )}
          <Field
            label={t('newPassword')}
            name="password"
            type="password"
            autoComplete="new-password"
            error={errors.password}
          />
          <Field
            label={t('confirmPassword')}
            name="confirmPassword"
            type="password"
            autoComplete="new-password"
            error={errors.confirmPassword}
          />
          <Button type="submit" disabled={busy}>
            {t('savePassword')}
          </Button>
        </form>
      )}
    </Page>
  )
}
