import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Page } from '@/components/ui/page'
import { messageFor } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import { useState, type FormEvent } from 'react'
import { useNavigate } from 'react-router-dom'

export function Component() {
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const navigate = useNavigate()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const password = String(form.get('password') ?? '')
    if (password.length < 8) return setError('This value is too short.')
    if (password !== form.get('confirmPassword')) return setError('The passwords do not match.')
    setBusy(true)
    try {
      const { error: failure } = await (await getSupabase()).auth.updateUser({ password })
      if (failure) throw failure
      notify.success('Your password has been changed.')
      await navigate('/dashboard')
    } catch (failure) {
      setError(
        failure instanceof Error && failure.name === 'AuthSessionMissingError'
          ? 'The verification link has expired. Please request a new one.'
          : messageFor(failure),
      )
    } finally {
      setBusy(false)
    }
  }
  return (
    <Page title="Choose a new password" noindex narrow>
      <form noValidate className="max-w-md space-y-4" onSubmit={(event) => void submit(event)}>
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          error={error}
        />
        <Field label="Confirm password" name="confirmPassword" type="password" autoComplete="new-password" />
        <Button type="submit" disabled={busy}>
          Save password
        </Button>
      </form>
    </Page>
  )
}
