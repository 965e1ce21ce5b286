import { controlClass } from '@/components/ui/field'
import { cn } from '@/lib/cn'
import type { ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { AMENITIES } from '../../labels'
import { fieldsOf, ruleOf, type Field } from '../schema/fields'
import type { Step } from '../schema/steps'
import { isAsked, wordsOf } from '../schema/values'
import { useForm } from './form-context'

export const idOf = (field: Field) => `listing-${field}`

/** How the parts around a control are tied to it. */
export function useControl(field: Field) {
  const { t } = useTranslation()
  const { form } = useForm()
  const rule = ruleOf(field)
  const id = idOf(field)
  const error = form.errors[field]
  const describedBy = [error && `${id}-error`, rule.hint && `${id}-hint`].filter(Boolean).join(' ')
  return {
    t,
    rule,
    id,
    error,
    value: form.values[field],
    set: (value: string) => form.change({ [field]: value }),
    props: {
      id,
      name: field,
      value: form.values[field],
      'aria-invalid': error ? (true as const) : undefined,
      'aria-describedby': describedBy || undefined,
      'aria-required': rule.needed ? (true as const) : undefined,
      onBlur: () => form.blur(field),
    },
  }
}

function Around({
  field,
  className,
  children,
  aside,
}: {
  field: Field
  className?: string
  children: ReactNode
  aside?: ReactNode
}) {
  const { t, rule, id, error } = useControl(field)
  return (
    <div data-slot="control" className={cn('min-w-0', className)}>
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-3">
        <label htmlFor={id} className="text-sm font-medium">
          {t(rule.label)}
          {!rule.needed && !rule.open && (
            <span className="ml-1.5 font-normal text-slate-600 dark:text-slate-400">{t('lfOptional')}</span>
          )}
        </label>
        {aside}
      </div>
      {children}
      {rule.hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-sm text-slate-600 dark:text-slate-400">
          {t(rule.hint)}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-sm font-medium text-red-700 dark:text-red-300">
          {error}
        </p>
      )}
    </div>
  )
}

const invalid = 'border-red-600! dark:border-red-400!'

function TextControl({ field, aside }: { field: Field; aside?: ReactNode }) {
  const { t, rule, error, value, set, props } = useControl(field)
  const { is } = rule
  const lines = is.kind === 'text' ? (is.lines ?? 1) : 1
  const unit = is.kind === 'number' ? is.unit : undefined
  const look = cn(controlClass, error && invalid)
  if (lines > 1)
    return (
      <Around
        field={field}
        className="sm:col-span-2"
        aside={
          aside ??
          (is.kind === 'text' && is.least && (
            <span className="text-xs text-slate-600 dark:text-slate-400" aria-hidden>
              {value.trim().length} / {is.most}
            </span>
          ))
        }
      >
        <textarea
          {...props}
          rows={lines}
          onChange={(event) => set(event.target.value)}
          className={cn(look, 'h-auto! py-2')}
        />
      </Around>
    )
  const wide = is.kind === 'text' && is.most > 100
  return (
    <Around field={field} className={wide ? 'sm:col-span-2' : undefined} aside={aside}>
      <div className="relative">
        {is.kind === 'amount' && (
          <span
            aria-hidden
            className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-slate-600 dark:text-slate-400"
          >
            ₹
          </span>
        )}
        <input
          {...props}
          type={is.kind === 'date' ? 'date' : 'text'}
          inputMode={
            is.kind === 'number' ? (is.from !== undefined && is.from < 0 ? 'text' : 'decimal') : undefined
          }
          autoComplete="off"
          onChange={(event) => set(event.target.value)}
          className={cn(look, is.kind === 'amount' && 'pl-8', unit && 'pr-20')}
        />
        {unit && (
          <span
            aria-hidden
            className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-slate-600 dark:text-slate-400"
          >
            {t(unit)}
          </span>
        )}
      </div>
    </Around>
  )
}

function SelectControl({ field }: { field: Field }) {
  const { t, error, set, props } = useControl(field)
  const { form } = useForm()
  const words = wordsOf(field, form.values)
  return (
    <Around field={field}>
      <select
        {...props}
        onChange={(event) => set(event.target.value)}
        className={cn(controlClass, error && invalid)}
      >
        <option value="">{t('lfChoose')}</option>
        {Object.entries(words).map(([value, word]) => (
          <option key={value} value={value}>
            {t(word)}
          </option>
        ))}
      </select>
    </Around>
  )
}

const chip =
  'flex min-h-11 cursor-pointer items-center rounded-lg border border-slate-400 bg-white px-4 text-sm font-medium has-checked:border-brand has-checked:bg-blue-50 has-checked:text-brand-dark has-checked:ring-1 has-checked:ring-brand has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-blue-600 dark:border-slate-500 dark:bg-slate-900 dark:has-checked:border-blue-300 dark:has-checked:bg-blue-950 dark:has-checked:text-blue-100 dark:has-checked:ring-blue-300 dark:has-focus-visible:outline-blue-300'

/** One of a few, all of them in sight. */
export function Chips({
  field,
  words,
  className,
}: {
  field: Field
  words?: Readonly<Record<string, string>>
  className?: string
}) {
  const { t, rule, id, error, value, set } = useControl(field)
  const { form } = useForm()
  const choices = Object.entries(words ?? wordsOf(field, form.values))
  return (
    <fieldset
      id={id}
      tabIndex={-1}
      aria-describedby={error ? `${id}-error` : undefined}
      className={cn('min-w-0 outline-none', className)}
    >
      <legend className="mb-1.5 text-sm font-medium">
        {t(rule.label)}
        {!rule.needed && !rule.open && (
          <span className="ml-1.5 font-normal text-slate-600 dark:text-slate-400">{t('lfOptional')}</span>
        )}
      </legend>
      <div className="flex flex-wrap gap-2">
        {choices.map(([choice, word]) => (
          <label key={choice} className={chip}>
            <input
              type="radio"
              name={field}
              className="sr-only"
              checked={value === choice}
              onChange={() => set(choice)}
            />
            {t(word)}
          </label>
        ))}
      </div>
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-sm font-medium text-red-700 dark:text-red-300">
          {error}
        </p>
      )}
    </fieldset>
  )
}

const ANSWERS = { yes: 'prYes', no: 'prNo', '': 'lfNotSaid' }

function FlagControl({ field }: { field: Field }) {
  const { t, rule, id, value, set } = useControl(field)
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm font-medium sm:col-span-2">
      <input
        id={id}
        type="checkbox"
        name={field}
        checked={value === 'yes'}
        onChange={(event) => set(event.target.checked ? 'yes' : '')}
        className="size-5 accent-brand"
      />
      {t(rule.label)}
    </label>
  )
}

function AmenityControl({ field }: { field: Field }) {
  const { t, rule, id, value, set } = useControl(field)
  const chosen = value.split(',').filter(Boolean)
  return (
    <fieldset id={id} tabIndex={-1} className="min-w-0 outline-none sm:col-span-2">
      <legend className="mb-1.5 text-sm font-medium">{t(rule.label)}</legend>
      <div className="flex flex-wrap gap-2">
        {Object.entries(AMENITIES).map(([name, word]) => (
          <label key={name} className={chip}>
            <input
              type="checkbox"
              className="sr-only"
              checked={chosen.includes(name)}
              onChange={(event) =>
                set(
                  (event.target.checked ? [...chosen, name] : chosen.filter((other) => other !== name)).join(
                    ',',
                  ),
                )
              }
            />
            {t(word)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** The control that a field's kind asks for. */
export function Control({ field, aside }: { field: Field; aside?: ReactNode }) {
  const { is } = ruleOf(field)
  switch (is.kind) {
    case 'choice':
      return <SelectControl field={field} />
    case 'answer':
      return <Chips field={field} words={ANSWERS} />
    case 'flag':
      return <FlagControl field={field} />
    case 'flags':
      return <AmenityControl field={field} />
    default:
      return <TextControl field={field} aside={aside} />
  }
}

export const gridClass = 'grid gap-x-5 gap-y-6 sm:grid-cols-2'

/** The fields of a step that are asked here: those everybody fills in, or those for who wants to say more. */
export function Controls({
  step,
  more = false,
  except = [],
}: {
  step: Step
  more?: boolean
  except?: readonly Field[]
}) {
  const { form } = useForm()
  return fieldsOf(step)
    .filter((field) => (ruleOf(field).more ?? false) === more)
    .filter((field) => !except.includes(field) && isAsked(field, form.values))
    .map((field) => <Control key={field} field={field} />)
}

export function More({ step, except = [] }: { step: Step; except?: readonly Field[] }) {
  const { t } = useTranslation()
  const { form } = useForm()
  const open = fieldsOf(step).some((field) => ruleOf(field).more && form.errors[field])
  return (
    <details
      open={open || undefined}
      className="rounded-xl border border-slate-300 sm:col-span-2 dark:border-slate-700"
    >
      <summary className="flex min-h-12 cursor-pointer items-center px-4 font-semibold">
        {t('lfMore')}
      </summary>
      <div className={cn(gridClass, 'border-t border-slate-200 p-4 dark:border-slate-800')}>
        <Controls step={step} more except={except} />
      </div>
    </details>
  )
}
