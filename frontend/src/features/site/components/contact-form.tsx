import { Button, buttonVariants } from '@/components/ui/button'
import { Field, TextArea } from '@/components/ui/field'
import { cardClass } from '@/components/ui/page'
import { BUSINESS } from '@/config/business'
import { messageFor, reportError } from '@/lib/errors'
import { useAppStore } from '@/stores/app-store'
import { CircleCheck } from 'lucide-react'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from '@/i18n/use-translation'
import { useSendMessage } from '../api/send-message'
import { LENGTHS, mailOf, wrongIn, type Wrong } from '../contact-fields'

const FIELDS = [
  ['name', 'coName', 'text', 'name'],
  ['email', 'coEmail', 'email', 'email'],
  ['phone', 'coPhone', 'tel', 'tel'],
  ['subject', 'coSubject', 'text', 'off'],
] as const

export function ContactForm() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user)
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState({ name: '', email: '', phone: '', subject: '', message: '' })
  // The page that was made ahead knows of nobody; who it is turns up when it is taken over. What was typed stays.
  useEffect(() => {
    if (!user) return
    const phone = user.phone ? `+${user.phone}` : ''
    setValues((now) => ({
      ...now,
      name: now.name || user.name || '',
      email: now.email || user.email || '',
      phone: now.phone || phone,
    }))
  }, [user])
  const [website, setWebsite] = useState('')
  const [wrong, setWrong] = useState<Wrong>({})
  const { mutate, isPending, isSuccess, error, reset } = useSendMessage()
  const word = (name: keyof Wrong) => {
    const key = wrong[name]
    return key && t(key)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = wrongIn(values)
    // At once: the fields say what is wrong with them before the first of them takes the focus.
    flushSync(() => setWrong(found))
    if (Object.keys(found).length) return form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
    mutate({ ...values, website }, { onError: (failure) => reportError(failure, 'contact') })
  }
  if (isSuccess)
    return (
      <div data-slot="contact-sent" role="status" className={cardClass}>
        <CircleCheck aria-hidden className="size-10 text-emerald-700 dark:text-emerald-300" />
        <h2 className="mt-3 text-xl font-semibold">{t('coSent')}</h2>
        <p className="mt-2">{t('coSentText', { email: values.email })}</p>
        <Button
          variant="outline"
          className="mt-6"
          onClick={() => {
            setValues({ ...values, subject: '', message: '' })
            reset()
          }}
        >
          {t('coAnother')}
        </Button>
      </div>
    )
  return (
    <form
      ref={form}
      noValidate
      data-slot="contact-form"
      className={`${cardClass} space-y-4`}
      onSubmit={submit}
    >
      <h2 className="text-xl font-semibold">{t('coWrite')}</h2>
      <div className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map(([name, label, type, autoComplete]) => (
          <Field
            key={name}
            label={t(label)}
            name={name}
            type={type}
            autoComplete={autoComplete}
            maxLength={LENGTHS[name]}
            value={values[name]}
            error={name === 'subject' ? undefined : word(name)}
            onChange={({ target: { value } }) => setValues((now) => ({ ...now, [name]: value }))}
          />
        ))}
      </div>
      {/* Out of sight and out of the way of keyboards and screen readers: whoever fills it in is no person. */}
      <div aria-hidden className="absolute -left-[999rem]">
        <label>
          Website
          <input
            name="website"
            tabIndex={-1}
            autoComplete="off"
            value={website}
            onChange={({ target: { value } }) => setWebsite(value)}
          />
        </label>
      </div>
      <TextArea
        label={t('coMessage')}
        name="message"
        rows={6}
        maxLength={LENGTHS.message}
        value={values.message}
        error={word('message')}
        onChange={({ target: { value } }) => setValues((now) => ({ ...now, message: value }))}
      />
      {error && (
        <div role="alert" className="rounded-lg bg-red-50 p-4 text-red-900 dark:bg-red-950 dark:text-red-100">
          <p className="font-semibold">{t('coFailed')}</p>
          <p className="mt-1">{messageFor(error)}</p>
          <a href={mailOf(BUSINESS.email, values)} className="mt-2 inline-block py-1 font-semibold underline">
            {t('coByMail')}
          </a>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-4">
        <Button type="submit" size="lg" disabled={isPending}>
          {t(isPending ? 'coSending' : 'coSend')}
        </Button>
        <p className="text-sm text-slate-700 dark:text-slate-300">{t('coReply')}</p>
      </div>
    </form>
  )
}

/** The other ways to reach a person. */
export function ContactDetails() {
  const { t } = useTranslation()
  const link = buttonVariants({ variant: 'link', className: 'px-0! text-base!' })
  return (
    <dl className={`${cardClass} space-y-3 *:wrap-anywhere`}>
      <div>
        <dt className="text-sm text-slate-700 dark:text-slate-300">{t('coPhoneLabel')}</dt>
        <dd>
          <a className={link} href={BUSINESS.phoneLink}>
            {BUSINESS.phone}
          </a>
        </dd>
      </div>
      <div>
        <dt className="text-sm text-slate-700 dark:text-slate-300">{t('coEmail')}</dt>
        <dd>
          <a className={link} href={`mailto:${BUSINESS.email}`}>
            {BUSINESS.email}
          </a>
        </dd>
      </div>
      <div>
        <dt className="text-sm text-slate-700 dark:text-slate-300">{t('coHours')}</dt>
        <dd className="py-2">{t('coHoursText')}</dd>
      </div>
      <div>
        <dt className="text-sm text-slate-700 dark:text-slate-300">{t('coOffice')}</dt>
        <dd className="py-2">{BUSINESS.address}</dd>
      </div>
    </dl>
  )
}
