import { Button } from '@/components/ui/button'
import { Field, TextArea } from '@/components/ui/field'
import { cardClass } from '@/components/ui/page'
import { messageFor } from '@/lib/errors'
import type { FieldErrors } from '@/lib/fields'
import { readablePhone, toE164 } from '@/lib/phone'
import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, Mail, Phone } from 'lucide-react'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useContactOwner } from '../api/contact-owner'
import { ownerCardOptions } from '../api/get-owner-card'
import type { DetailedProperty } from '../api/get-property'
import { checkEnquiry, dropDraft, keepDraft, MESSAGE, readDraft, type Draft } from '../enquiry'

type Contact = { owner_name: string; owner_phone: string | null; owner_email: string | null }

function Owner({ id }: { id: string }) {
  const { t } = useTranslation()
  const { data } = useQuery(ownerCardOptions(id))
  if (!data) return null
  return (
    <div className="mb-5">
      <p className="flex flex-wrap items-center gap-x-2 font-semibold">
        {data.name || t('prOwner')}
        {data.verified && (
          <span
            title={t('prPhoneVerifiedWhy')}
            className="flex items-center gap-1 text-sm font-medium text-emerald-800 dark:text-emerald-300"
          >
            <BadgeCheck aria-hidden className="size-4" /> {t('prPhoneVerified')}
          </span>
        )}
      </p>
      {data.company && <p className="text-sm">{data.company}</p>}
      <p className="text-sm text-slate-700 dark:text-slate-300">
        {t('prListings', { count: data.listing_count })}
      </p>
    </div>
  )
}

function Sent({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  const row = 'flex min-h-11 items-center gap-2 break-all hover:underline'
  return (
    <div role="status">
      <p className="font-semibold">{t('enSent')}</p>
      <p className="mt-1 text-sm">{t('enSentText', { name: contact.owner_name || t('prOwner') })}</p>
      {contact.owner_phone && (
        <a className={row} href={`tel:${contact.owner_phone}`}>
          <Phone aria-hidden className="size-4 shrink-0" /> {readablePhone(contact.owner_phone)}
        </a>
      )}
      {contact.owner_email && (
        <a className={row} href={`mailto:${contact.owner_email}`}>
          <Mail aria-hidden className="size-4 shrink-0" /> {contact.owner_email}
        </a>
      )}
    </div>
  )
}

/** Who lists the property, and the way to ask them. Their number and address come in answer to a question. */
export function ContactCard({
  property,
  onSignIn,
}: {
  property: DetailedProperty
  /** Leads to the login and back here. */
  onSignIn: () => void
}) {
  const { t } = useTranslation()
  const { user, isAuthenticated } = useAppStore()
  const [draft, setDraft] = useState<Draft>(() => readDraft(property.id))
  const [errors, setErrors] = useState<FieldErrors>({})
  const contact = useContactOwner(property.id)
  const phoneOf = user?.phone ? `+${user.phone.replace(/^\+/, '')}` : ''
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    // The page is drawn after the browser looked for what its address names, as when coming from the login.
    if (window.location.hash === '#contact') card.current?.scrollIntoView()
  }, [])
  const values = {
    name: draft.name ?? user?.name ?? '',
    phone: draft.phone ?? phoneOf,
    message: draft.message ?? t('enDefault', { title: property.title }),
  }
  const change = (field: keyof Draft) => (event: { target: { value: string } }) => {
    const next = { ...draft, [field]: event.target.value }
    setDraft(next)
    keepDraft(property.id, next)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const found = checkEnquiry(values, t)
    setErrors(found)
    const [first] = Object.keys(found)
    if (first) {
      notify.fields(found)
      const control = event.currentTarget.elements.namedItem(first)
      if (control instanceof HTMLElement) control.focus()
      return
    }
    if (!isAuthenticated) {
      keepDraft(property.id, values)
      onSignIn()
      return
    }
    notify.loading(t('enSending'))
    contact.mutate(
      {
        name: values.name.trim(),
        phone: values.phone.trim() ? (toE164(values.phone) ?? '') : '',
        message: values.message.trim(),
      },
      {
        onSuccess: () => {
          dropDraft(property.id)
          notify.success(t('enSent'))
        },
        onError: (error) => notify.submission(t('enForm'), error),
      },
    )
  }

  return (
    <section
      ref={card}
      id="contact"
      data-slot="contact-card"
      className={`${cardClass} scroll-mt-24 print:hidden`}
    >
      <h2 className="mb-3 text-xl font-semibold">{t('prContactOwner')}</h2>
      <Owner id={property.id} />
      {property.owner_id === user?.id ? (
        <p>{t('enOwn')}</p>
      ) : contact.data ? (
        <Sent contact={contact.data} />
      ) : (
        <form noValidate className="space-y-4" onSubmit={submit}>
          {contact.error && (
            <p
              role="alert"
              className="rounded-lg bg-red-50 p-3 text-red-800 dark:bg-red-950 dark:text-red-100"
            >
              {messageFor(contact.error)}
            </p>
          )}
          <Field
            label={t('fullName')}
            name="fullName"
            autoComplete="name"
            value={values.name}
            onChange={change('name')}
            error={errors.fullName}
          />
          <Field
            label={t('phoneOptional')}
            name="phone"
            type="tel"
            autoComplete="tel"
            value={values.phone}
            onChange={change('phone')}
            error={errors.phone}
          />
          <TextArea
            label={t('enMessage')}
            name="message"
            maxLength={MESSAGE.most}
            value={values.message}
            onChange={change('message')}
            error={errors.message}
          />
          <Button
            type="submit"
            className="h-auto! min-h-11 w-full py-2 whitespace-normal!"
            disabled={contact.isPending}
          >
            {t(isAuthenticated ? 'prContactOwner' : 'enSignIn')}
          </Button>
          <p className="text-sm text-slate-700 dark:text-slate-300">{t('enPrivacy')}</p>
        </form>
      )}
    </section>
  )
}
