import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { messageFor } from '@/lib/errors'
import type { FieldErrors } from '@/lib/fields'
import { toE164 } from '@/lib/phone'
import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import type { TFunction } from 'i18next'
import { useState, type FormEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { callback, signInWithPassword, signUp } from '../session'

type Mode = 'in' | 'up' | 'forgot' | 'inbox'
const isEmail = (value: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)

/** The catalogue's key for how strong a password is. */
export function strength(password: string) {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/].filter((kind) => kind.test(password)).length
  if (password.length < 8) return 'strengthShort'
  return password.length >= 12 && kinds >= 3 ? 'strengthStrong' : kinds >= 2 ? 'strengthFair' : 'strengthWeak'
}

function validate(mode: Mode, form: FormData, text: (name: string) => string, t: TFunction): FieldErrors {
  const errors: FieldErrors = {}
  if (!isEmail(text('email'))) errors.email = t('xeEmail')
  if (mode === 'in' && !text('password')) errors.password = t('xeRequired')
  if (mode === 'up') {
    if (!text('fullName').trim()) errors.fullName = t('xeRequired')
    if (text('phone') && !toE164(text('phone'))) errors.phone = t('xePhone')
    if (text('password').length < 8) errors.password = t('passwordShort')
    if (text('password') !== text('confirmPassword')) errors.confirmPassword = t('passwordsDiffer')
    if (!form.has('terms')) errors.terms = t('termsNeeded')
  }
  return errors
}

export function EmailForm({ initial = 'in' }: { initial?: 'in' | 'forgot' }) {
  const { t } = useTranslation()
  const [mode, setMode] = useState<Mode>(initial)
  const [errors, setErrors] = useState<FieldErrors>({})
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
      notify.success(t('okWelcome'))
    } else if (mode === 'up') {
      const phone = text('phone') ? (toE164(text('phone')) ?? '') : ''
      await signUp({
        email: text('email'),
        password: text('password'),
        fullName: text('fullName').trim(),
        phone,
      })
      notify.success(t('okCreated'))
      go('inbox')
    } else {
      const redirectTo = `${window.location.origin}/auth/reset`
      const { error } = await (await getSupabase()).auth.resetPasswordForEmail(text('email'), { redirectTo })
      if (error) throw error
      notify.success(t('okReset'))
    }
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    const found = validate(mode, form, text, t)
    setErrors(found)
    setFailure('')
    const [first] = Object.keys(found)
    if (first) {
      notify.fields(found)
      const control = event.currentTarget.elements.namedItem(first)
      if (control instanceof HTMLElement) control.focus()
      return
    }
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
    const { auth } = await getSupabase()
    const options = { emailRedirectTo: callback() }
    const { error } = await auth.resend({ type: 'signup', email, options })
    if (error) notify.failure(error, 'resend')
    else notify.info(t('emailResent'))
  }

  if (mode === 'inbox')
    return (
      <div className="space-y-4" role="status">
        <h2 className="text-xl font-semibold">{t('inboxTitle')}</h2>
        <p>{t('inboxText', { email })}</p>
        <Button variant="outline" onClick={() => void resend()}>
          {t('resendEmail')}
        </Button>
        <Button variant="link" onClick={() => go('in')}>
          {t('backToSignIn')}
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
        <Field label={t('fullName')} name="fullName" autoComplete="name" error={errors.fullName} />
      )}
      <Field
        label={t('byEmail')}
        name="email"
        type="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={errors.email}
      />
      {mode === 'up' && (
        <Field label={t('phoneOptional')} name="phone" type="tel" autoComplete="tel" error={errors.phone} />
      )}
      {mode !== 'forgot' && (
        <Field
          label={t('password')}
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
            {t('strength', { level: t(strength(password)) })}
          </p>
          <Field
            label={t('confirmPassword')}
            name="confirmPassword"
            type="password"
            autoComplete="new-password"
            error={errors.confirmPassword}
          />
          <label className="flex min-h-11 items-center gap-3 text-sm">
            <input
              type="checkbox"
              name="terms"
              className="size-5 accent-brand"
              aria-invalid={Boolean(errors.terms)}
            />
            <span>
              {t('acceptTerms')}{' '}
              <Link to="/privacy-policy" className="underline">
                {t('privacy')}
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
        {t(mode === 'in' ? 'signIn' : mode === 'up' ? 'createAccount' : 'sendReset')}
      </Button>
      <div className="flex flex-wrap justify-between gap-x-4">
        {mode === 'in' ? (
          <>
            <Button variant="link" className="px-0!" onClick={() => go('up')}>
              {t('createAnAccount')}
            </Button>
            <Button variant="link" className="px-0!" onClick={() => go('forgot')}>
              {t('forgot')}
            </Button>
          </>
        ) : (
          <Button variant="link" className="px-0!" onClick={() => go('in')}>
            {t('backToSignIn')}
          </Button>
        )}
      </div>
    </form>
  )
}
