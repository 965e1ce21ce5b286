import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { messageFor } from '@/lib/errors'
import { toE164 } from '@/lib/phone'
import { notify } from '@/lib/toast'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { sendCode, verifyCode } from '../session'

export function PhoneForm() {
  const { t } = useTranslation()
  const [phone, setPhone] = useState('')
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [code, setCode] = useState('')
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(false)
  const [wait, setWait] = useState(0)
  useEffect(() => {
    if (wait === 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])

  const run = async (work: () => Promise<{ error: unknown }>) => {
    setBusy(true)
    setError('')
    try {
      const { error: failure } = await work()
      if (failure) setError(messageFor(failure))
      return !failure
    } catch (failure) {
      setError(messageFor(failure))
      return false
    } finally {
      setBusy(false)
    }
  }
  const send = async () => {
    const number = toE164(phone)
    if (!number) return setError(t('xePhone'))
    if (await run(() => sendCode(number))) {
      setSentTo(number)
      setWait(60)
    }
  }
  const verify = async (token: string) => {
    if (!sentTo || busy) return
    if (await run(() => verifyCode(sentTo, token))) notify.success(t('okWelcome'))
    else setCode('')
  }
  const typeCode = (value: string) => {
    const digits = value.replace(/\D/g, '').slice(0, 6)
    setCode(digits)
    if (digits.length === 6) void verify(digits)
  }

  if (!sentTo)
    return (
      <form
        noValidate
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <Field
          label={t('phoneNumber')}
          type="tel"
          autoComplete="tel"
          placeholder="+91 98765 43210"
          value={phone}
          onChange={(event) => setPhone(event.target.value)}
          error={error}
        />
        <Button type="submit" className="w-full" disabled={busy}>
          {t('sendCode')}
        </Button>
      </form>
    )
  return (
    <form
      noValidate
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (code.length === 6) void verify(code)
        else setError(t('xeInvalid'))
      }}
    >
      <p role="status">{t('codeSent', { phone: sentTo })}</p>
      <Field
        label={t('code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        value={code}
        onChange={(event) => typeCode(event.target.value)}
        error={error}
        className="text-center text-2xl! tracking-[0.4em]"
      />
      <Button type="submit" className="w-full" disabled={busy}>
        {t('verify')}
      </Button>
      <div className="flex flex-wrap justify-between">
        <Button variant="link" className="px-0!" disabled={wait > 0 || busy} onClick={() => void send()}>
          {wait > 0 ? t('resendIn', { seconds: wait }) : t('resendCode')}
        </Button>
        <Button
          variant="link"
          className="px-0!"
          onClick={() => {
            setSentTo(null)
            setCode('')
            setError('')
          }}
        >
          {t('changeNumber')}
        </Button>
      </div>
    </form>
  )
}
