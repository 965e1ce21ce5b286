import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { messageFor } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import { useState, type FormEvent } from 'react'
import { Link } from 'react-router-dom'
import { callback, signInWithPassword, signUp, toE164 } from '../session'

type Mode = 'in' | 'up' | 'forgot' | 'inbox'
type Errors = Record<string, string>
const isEmail = (value: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)

export function strength(password: string) {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/].filter((kind) => kind.test(password)).length
  if (password.length < 8) return 'Too short'
  return password.length >= 12 && kinds >= 3 ? 'Strong' : kinds >= 2 ? 'Fair' : 'Weak'
}

function validate(mode: Mode, form: FormData, text: (name: string) => string): Errors {
  const errors: Errors = {}
  if (!isEmail(text('email'))) errors.email = 'Please enter a valid email address.'
  if (mode === 'in' && !text('password')) errors.password = 'This field is required.'
  if (mode === 'up') {
    if (!text('fullName').trim()) errors.fullName = 'This field is required.'
    if (text('phone') && !toE164(text('phone'))) errors.phone = 'Please enter a valid phone number.'
    if (text('password').length < 8) errors.password = 'This value is too short.'
    if (text('password') !== text('confirmPassword')) errors.confirmPassword = 'The passwords do not match.'
    if (!form.has('terms')) errors.terms = 'Please accept the terms to continue.'
  }
  return errors
}

export function EmailForm() {
  const [mode, setMode] = useState<Mode>('in')
  const [errors, setErrors] = useState<Errors>({})
  const [failure, setFailure] = useState('')
  const [busy, setBusy] = useState(false)
  const [password, setPassword] = useState('')
  const [email, setEmail] = useState('')
  const go = (next: Mode) => {
    setMode(next)
    setErrors({})
    setFailure('')
  }

  const perform = async (text: (name: string) => string) => {
    if (mode === 'in') {
      const { error } = await signInWithPassword(text('email'), text('password'))
      if (error) throw error
      notify.success('Welcome back!')
    } else if (mode === 'up') {
      const phone = text('phone') ? (toE164(text('phone')) ?? '') : ''
      await signUp({
        email: text('email'),
        password: text('password'),
        fullName: text('fullName').trim(),
        phone,
      })
      notify.success('Account created successfully! Please verify your email.')
      go('inbox')
    } else {
      const redirectTo = `${window.location.origin}/auth/reset`
      const { error } = await (await getSupabase()).auth.resetPasswordForEmail(text('email'), { redirectTo })
      if (error) throw error
      notify.success('Password reset email sent. Please check your inbox.')
    }
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    const found = validate(mode, form, text)
    setErrors(found)
    setFailure('')
    if (Object.keys(found).length) return
    setBusy(true)
    try {
      await perform(text)
    } catch (error) {
      setFailure(messageFor(error))
    } finally {
      setBusy(false)
    }
  }
  const resend = async () => {
    const { error } = await (
      await getSupabase()
    ).auth.resend({
      type: 'signup',
      email,
      options: { emailRedirectTo: callback() },
    })
    if (error) notify.typed('auth', messageFor(error))
    else notify.info('We sent the email again.')
  }

  if (mode === 'inbox')
    return (
      <div className="space-y-4" role="status">
        <h2 className="text-xl font-semibold">Check your inbox</h2>
        <p>We sent a confirmation link to {email}. Open it to finish creating your account.</p>
        <Button variant="outline" onClick={() => void resend()}>
          Resend email
        </Button>
        <Button variant="link" onClick={() => go('in')}>
          Back to sign in
        </Button>
      </div>
    )
  return (
    <form key={mode} noValidate className="space-y-4" onSubmit={(event) => void submit(event)}>
      {failure && (
        <p role="alert" className="rounded-lg bg-red-50 p-3 text-red-800 dark:bg-red-950 dark:text-red-100">
          {failure}
        </p>
      )}
      {mode === 'up' && (
        <Field label="Full name" name="fullName" autoComplete="name" error={errors.fullName} />
      )}
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={errors.email}
      />
      {mode === 'up' && (
        <Field label="Phone (optional)" name="phone" type="tel" autoComplete="tel" error={errors.phone} />
      )}
      {mode !== 'forgot' && (
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete={mode === 'in' ? 'current-password' : 'new-password'}
          onChange={(event) => setPassword(event.target.value)}
          error={errors.password}
        />
      )}
      {mode === 'up' && (
        <>
          <p role="status" className="text-sm">
            Password strength: {strength(password)}
          </p>
          <Field
            label="Confirm password"
            name="confirmPassword"
            type="password"
            autoComplete="new-password"
            error={errors.confirmPassword}
          />
          <label className="flex min-h-11 items-center gap-3 text-sm">
            <input type="checkbox" name="terms" className="size-5" aria-invalid={Boolean(errors.terms)} />
            <span>
              I accept the terms and the{' '}
              <Link to="/privacy-policy" className="underline">
                Privacy Policy
              </Link>
            </span>
          </label>
          {errors.terms && (
            <p role="alert" className="text-sm text-red-700 dark:text-red-300">
              {errors.terms}
            </p>
          )}
        </>
      )}
      <Button type="submit" className="w-full" disabled={busy}>
        {mode === 'in' ? 'Sign in' : mode === 'up' ? 'Create account' : 'Send reset email'}
      </Button>
      <div className="flex flex-wrap justify-between gap-x-4">
        {mode === 'in' ? (
          <>
            <Button variant="link" className="px-0!" onClick={() => go('up')}>
              Create an account
            </Button>
            <Button variant="link" className="px-0!" onClick={() => go('forgot')}>
              Forgot password?
            </Button>
          </>
        ) : (
          <Button variant="link" className="px-0!" onClick={() => go('in')}>
            Back to sign in
          </Button>
        )}
      </div>
    </form>
  )
}
