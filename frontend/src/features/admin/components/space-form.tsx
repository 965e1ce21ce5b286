import { Button } from '@/components/ui/button'
import { Field, TextArea } from '@/components/ui/field'
import { cardClass } from '@/components/ui/page'
import { AMENITIES, DAY_KEYS, DAYS, OFFERINGS } from '@/features/coworking/format'
import { useRef, useState, type FormEvent, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from '@/i18n/use-translation'
import {
  errorsOf,
  LENGTHS,
  OFFERING_TYPES,
  slugOf,
  type OfferingText,
  type SpaceErrors,
  type SpaceText,
} from '../space-fields'

const MESSAGES = { required: 'adRequired', invalid: 'adInvalid', tooLong: 'adTooLong' } as const

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={`${cardClass} min-w-0`}>
      <legend className="float-left mb-4 w-full text-lg font-semibold">{title}</legend>
      <div className="clear-both">{children}</div>
    </fieldset>
  )
}

function Tick({
  checked,
  onChange,
  children,
}: {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-2 text-sm">
      <input
        type="checkbox"
        className="size-5 shrink-0 accent-brand"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  )
}

type Simple = {
  [K in keyof SpaceText]: SpaceText[K] extends string ? K : never
}[keyof SpaceText]

const FIRST: ReadonlyArray<readonly [Simple, string]> = [
  ['name', 'adName'],
  ['slug', 'adSlug'],
]
const PLACE: ReadonlyArray<readonly [Simple, string]> = [
  ['address', 'adAddress'],
  ['locality', 'adLocality'],
  ['sub_locality', 'adSubLocality'],
  ['city', 'city'],
  ['state', 'adState'],
  ['lat', 'adLat'],
  ['lng', 'adLng'],
]
const CONTACT: ReadonlyArray<readonly [Simple, string]> = [
  ['website_url', 'adWebsite'],
  ['booking_phone', 'adPhone'],
  ['booking_email', 'adEmail'],
  ['min_price', 'adMinPrice'],
  ['max_price', 'adMaxPrice'],
]

export function SpaceForm({
  initial,
  isNew,
  busy,
  failure,
  onSave,
}: {
  initial: SpaceText
  isNew: boolean
  busy: boolean
  failure: string
  onSave: (text: SpaceText) => void
}) {
  const { t } = useTranslation()
  const form = useRef<HTMLFormElement>(null)
  const [text, setText] = useState(initial)
  const [slugTouched, setSlugTouched] = useState(!isNew)
  const [errors, setErrors] = useState<SpaceErrors>({})
  const change = (part: Partial<SpaceText>) =>
    setText((before) => {
      const next = { ...before, ...part }
      // Until somebody writes one, the address of the page follows the name and the place.
      if (!slugTouched && ('name' in part || 'locality' in part)) next.slug = slugOf(next.name, next.locality)
      return next
    })
  const message = (name: string) => {
    const found = errors[name]
    return found && t(MESSAGES[found])
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = errorsOf(text)
    // At once: the fields say what is wrong with them before the first of them takes the focus.
    flushSync(() => setErrors(found))
    if (Object.keys(found).length === 0) return onSave(text)
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }
  const fields = (names: ReadonlyArray<readonly [Simple, string]>) => (
    <div className="grid gap-4 sm:grid-cols-2">
      {names.map(([name, word]) => (
        <Field
          key={name}
          name={name}
          label={t(word)}
          value={text[name]}
          maxLength={name in LENGTHS ? LENGTHS[name as keyof typeof LENGTHS] : 30}
          inputMode={['lat', 'lng', 'min_price', 'max_price'].includes(name) ? 'decimal' : undefined}
          error={message(name)}
          onChange={({ target: { value } }) => {
            if (name === 'slug') setSlugTouched(true)
            change({ [name]: value })
          }}
        />
      ))}
    </div>
  )
  const offer = (type: (typeof OFFERING_TYPES)[number], part: Partial<OfferingText>) =>
    change({ offerings: { ...text.offerings, [type]: { ...text.offerings[type], ...part } } })
  const wrong = Object.keys(errors).length
  return (
    <form ref={form} noValidate data-slot="space-form" className="space-y-6" onSubmit={submit}>
      <Group title={t('adBasics')}>
        {fields(FIRST)}
        <div className="mt-4">
          <TextArea
            label={t('adDescription')}
            name="description"
            rows={6}
            maxLength={LENGTHS.description}
            value={text.description}
            error={message('description')}
            onChange={({ target: { value } }) => change({ description: value })}
          />
        </div>
        <div className="mt-2 flex flex-wrap gap-x-6">
          <Tick checked={text.active} onChange={(active) => change({ active })}>
            {t('adIsShown')}
          </Tick>
          <Tick checked={text.paid_listing} onChange={(paid) => change({ paid_listing: paid })}>
            {t('adIsFeatured')}
          </Tick>
        </div>
      </Group>
      <Group title={t('adPlace')}>{fields(PLACE)}</Group>
      <Group title={t('adContactPrices')}>{fields(CONTACT)}</Group>
      <Group title={t('available')}>
        <ul className="space-y-3">
          {OFFERING_TYPES.map((type) => {
            const { offered, available, price, capacity } = text.offerings[type]
            return (
              <li
                key={type}
                className="grid items-end gap-x-4 gap-y-2 border-b border-slate-200 pb-3 last:border-0 sm:grid-cols-[14rem_1fr_1fr_auto] dark:border-slate-700"
              >
                <Tick checked={offered} onChange={(next) => offer(type, { offered: next })}>
                  <span className="font-semibold">{t(OFFERINGS[type] ?? type)}</span>
                </Tick>
                {offered && (
                  <>
                    <Field
                      label={t('adPriceFrom')}
                      inputMode="decimal"
                      value={price}
                      maxLength={15}
                      error={message(`${type}.price`)}
                      onChange={({ target: { value } }) => offer(type, { price: value })}
                    />
                    <Field
                      label={t('adCapacity')}
                      inputMode="numeric"
                      value={capacity}
                      maxLength={5}
                      error={message(`${type}.capacity`)}
                      onChange={({ target: { value } }) => offer(type, { capacity: value })}
                    />
                    <Tick checked={available} onChange={(next) => offer(type, { available: next })}>
                      {t('adIsAvailable')}
                    </Tick>
                  </>
                )}
              </li>
            )
          })}
        </ul>
      </Group>
      <Group title={t('cwAmenities')}>
        <div className="grid gap-x-6 min-[400px]:grid-cols-2 lg:grid-cols-4">
          {Object.entries(AMENITIES).map(([name, word]) => (
            <Tick
              key={name}
              checked={text.amenities.includes(name)}
              onChange={(checked) =>
                change({
                  amenities: checked
                    ? [...text.amenities, name]
                    : text.amenities.filter((other) => other !== name),
                })
              }
            >
              {t(word)}
            </Tick>
          ))}
        </div>
      </Group>
      <Group title={t('cwHours')}>
        <p className="mb-4 text-sm text-slate-700 dark:text-slate-300">{t('adHoursHint')}</p>
        <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {DAYS.map((day) => (
            <Field
              key={day}
              label={t(DAY_KEYS[day])}
              placeholder="9:00 AM - 6:00 PM"
              maxLength={60}
              value={text.hours[day]}
              onChange={({ target: { value } }) => change({ hours: { ...text.hours, [day]: value } })}
            />
          ))}
        </div>
      </Group>
      <div className="sticky bottom-0 flex flex-wrap items-center gap-4 border-t border-slate-200 bg-slate-50 py-4 dark:border-slate-800 dark:bg-slate-950">
        <Button type="submit" size="lg" disabled={busy}>
          {t('adSave')}
        </Button>
        <p role="alert" className="text-red-700 dark:text-red-300">
          {failure || (wrong > 0 && t('adFixFields', { count: wrong }))}
        </p>
      </div>
    </form>
  )
}
