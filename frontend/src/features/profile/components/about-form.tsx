import { Button } from '@/components/ui/button'
import { controlClass, Field } from '@/components/ui/field'
import { LANGUAGES, setLanguage, type Language } from '@/i18n'
import type { FieldErrors } from '@/lib/fields'
import { messageFor, reportError } from '@/lib/errors'
import { notify } from '@/lib/toast'
import { useState, type FormEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useSaveProfile, type Profile } from '../api/profile'

const KINDS: Readonly<Record<NonNullable<Profile['user_type']>, string>> = {
  owner: 'pfOwner',
  broker: 'pfBroker',
  buyer: 'pfBuyer',
  seller: 'pfSeller',
}

/** The name and what else others see of a person, and the language. */
export function AboutForm({ profile }: { profile: Profile }) {
  const { t } = useTranslation()
  const save = useSaveProfile(profile.id)
  const [errors, setErrors] = useState<FieldErrors>({})
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    if (!text('fullName')) {
      const found = { fullName: t('enRequired') }
      setErrors(found)
      notify.fields(found)
      const control = event.currentTarget.elements.namedItem('fullName')
      if (control instanceof HTMLElement) control.focus()
      return
    }
    setErrors({})
    const kind = Object.keys(KINDS).find((each) => each === text('kind'))
    const language = Object.keys(LANGUAGES).find((each) => each === text('locale'))
    save.mutate(
      {
        full_name: text('fullName'),
        company: text('company') || null,
        city: text('city') || null,
        user_type: (kind ?? null) as Profile['user_type'],
        locale: (language ?? 'en') as Language,
      },
      {
        onSuccess: () => {
          if (language && language !== profile.locale) void setLanguage(language as Language)
          notify.success(t('pfSaved'))
        },
        onError: (error) => {
          reportError(error, 'profile')
          notify.error(t('pfFailed', { reason: messageFor(error) }))
        },
      },
    )
  }
  return (
    <form noValidate className="grid gap-5 sm:grid-cols-2" onSubmit={submit}>
      <Field
        label={t('fullName')}
        name="fullName"
        autoComplete="name"
        maxLength={200}
        defaultValue={profile.full_name}
        error={errors.fullName}
      />
      <Field
        label={t('pfCompany')}
        name="company"
        autoComplete="organization"
        maxLength={200}
        defaultValue={profile.company ?? ''}
      />
      <div className="space-y-1.5">
        <label htmlFor="profile-kind" className="text-sm font-medium">
          {t('pfType')}
        </label>
        <select id="profile-kind" name="kind" defaultValue={profile.user_type ?? ''} className={controlClass}>
          <option value="">{t('pfNotSaid')}</option>
          {Object.entries(KINDS).map(([kind, word]) => (
            <option key={kind} value={kind}>
              {t(word)}
            </option>
          ))}
        </select>
      </div>
      <Field
        label={t('pfCity')}
        name="city"
        autoComplete="address-level2"
        maxLength={100}
        defaultValue={profile.city ?? ''}
      />
      <div className="space-y-1.5">
        <label htmlFor="profile-locale" className="text-sm font-medium">
          {t('language')}
        </label>
        <select id="profile-locale" name="locale" defaultValue={profile.locale} className={controlClass}>
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div className="sm:col-span-2">
        <Button type="submit" disabled={save.isPending}>
          {t('pfSave')}
        </Button>
      </div>
    </form>
  )
}
