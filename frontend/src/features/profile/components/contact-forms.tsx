import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { messageFor } from '@/lib/errors'
import { toE164 } from '@/lib/phone'
import { notify } from '@/lib/toast'
import { useQueryClient } from '@tanstack/react-query'
import { BadgeCheck } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { changeEmail, changePassword, changePhone, confirmPhone } from '../api/account'
import type { Profile } from '../api/profile'

/** Runs a submission: what is wrong appears under the field, and it can be tried again. */
function useSubmission() {
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<void>) => {
    setProblem('')
    setBusy(true)
    try {
      await work()
    } catch (error) {
      setProblem(messageFor(error))
    } finally {
      setBusy(false)
    }
  }
  return { problem, setProblem, busy, run }
}

const row = 'flex flex-wrap items-start gap-3 *:first:min-w-0 *:first:grow *:first:basis-64'
const beside = 'sm:mt-6.5'

export function EmailForm({ profile }: { profile: Profile }) {
  const { t } = useTranslation()
  const { problem, setProblem, busy, run } = useSubmission()
  const [sentTo, setSentTo] = useState('')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email') ?? '').trim()
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) return setProblem(t('pfEmailWrong'))
    if (email === profile.email) return setProblem(t('pfEmailSame'))
    void run(async () => {
      await changeEmail(email)
      setSentTo(email)
    })
  }
  return (
    <form noValidate onSubmit={submit}>
      <div className={row}>
        <Field
          label={t('pfEmail')}
          name="email"
          type="email"
          autoComplete="email"
          defaultValue={profile.email ?? ''}
          error={problem}
        />
        <Button type="submit" variant="outline" className={beside} disabled={busy}>
          {t('pfEmailChange')}
        </Button>
      </div>
      <p role="status" className="mt-1 text-sm">
        {sentTo && t('pfEmailSent', { email: sentTo })}
      </p>
    </form>
  )
}

export function PhoneForm({ profile }: { profile: Profile }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { problem, setProblem, busy, run } = useSubmission()
  const [phone, setPhone] = useState(profile.phone ?? '')
  const [asked, setAsked] = useState('')
  const [code, setCode] = useState('')
  const send = (event: FormEvent) => {
    event.preventDefault()
    const full = toE164(phone)
    if (!full) return setProblem(t('enPhone'))
    void run(async () => {
      await changePhone(full)
      setAsked(full)
    })
  }
  const confirm = (event: FormEvent) => {
    event.preventDefault()
    if (!/^\d{6}$/.test(code.trim())) return setProblem(t('pfCodeWrong'))
    void run(async () => {
      await confirmPhone(asked, code.trim())
      setAsked('')
      setCode('')
      notify.success(t('pfPhoneVerifiedNow'))
      await client.invalidateQueries({ queryKey: ['profile'] })
    })
  }
  if (asked)
    return (
      <form noValidate onSubmit={confirm}>
        <p role="status" className="mb-2 text-sm">
          {t('pfCodeSent', { phone: asked })}
        </p>
        <div className={row}>
          <Field
            label={t('code')}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            error={problem}
            autoFocus
          />
          <Button type="submit" className={beside} disabled={busy}>
            {t('pfVerify')}
          </Button>
          <Button variant="ghost" className={beside} onClick={() => setAsked('')}>
            {t('prCancel')}
          </Button>
        </div>
      </form>
    )
  return (
    <form noValidate onSubmit={send}>
      <div className={row}>
        <Field
          label={t('pfPhone')}
          name="phone"
          type="tel"
          autoComplete="tel"
          value={phone}
          onChange={(event) => setPhone(event.target.value)}
          error={problem}
        />
        <Button type="submit" variant="outline" className={beside} disabled={busy}>
          {t(profile.phone && !profile.phone_verified ? 'pfPhoneVerify' : 'pfPhoneChange')}
        </Button>
      </div>
      {profile.phone && (
        <p className="mt-1 flex items-center gap-1.5 text-sm">
          {profile.phone_verified ? (
            <>
              <BadgeCheck aria-hidden className="size-4 text-emerald-700 dark:text-emerald-400" />
              {t('prPhoneVerified')}
            </>
          ) : (
            t('pfPhoneUnverified')
          )}
        </p>
      )}
    </form>
  )
}

export function PasswordForm() {
  const { t } = useTranslation()
  const { problem, setProblem, busy, run } = useSubmission()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const data = new FormData(form)
    const password = String(data.get('password') ?? '')
    if (password.length < 8) return setProblem(t('pfPasswordShort'))
    if (password !== data.get('confirmPassword')) return setProblem(t('pfPasswordsDiffer'))
    void run(async () => {
      await changePassword(password)
      form.reset()
      notify.success(t('pfPasswordSaved'))
    })
  }
  return (
    <form noValidate className="grid gap-5 sm:grid-cols-2" onSubmit={submit}>
      <Field
        label={t('pfPasswordNew')}
        name="password"
        type="password"
        autoComplete="new-password"
        error={problem}
      />
      <Field
        label={t('pfPasswordAgain')}
        name="confirmPassword"
        type="password"
        autoComplete="new-password"
      />
      <div className="sm:col-span-2">
        <Button type="submit" variant="outline" disabled={busy}>
          {t('pfPasswordChange')}
        </Button>
      </div>
    </form>
  )
}
