import { useEffect, useRef } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import type { FieldErrors } from '@/lib/fields'
import { ruleOf, type Field } from '../schema/fields'
import type { Step } from '../schema/steps'
import { idOf } from './control'

/** What is wrong, in one place that takes the focus, with the way to each field. */
export function ErrorSummary({
  errors,
  shown,
  onField,
}: {
  errors: FieldErrors
  /** Counts the attempts: each takes the focus anew. */
  shown: number
  onField: (field: Field, step: Step) => void
}) {
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const fields = Object.keys(errors) as Field[]
  useEffect(() => {
    if (shown > 0) box.current?.focus()
  }, [shown])
  if (shown === 0 || fields.length === 0) return null
  const line = (field: Field) => (
    <a
      href={`#${idOf(field)}`}
      className="inline-block py-1 underline underline-offset-2"
      onClick={(event) => {
        event.preventDefault()
        onField(field, ruleOf(field).step)
      }}
    >
      {t(ruleOf(field).label)}: {errors[field]}
    </a>
  )
  const [only] = fields
  return (
    <div
      ref={box}
      role="alert"
      tabIndex={-1}
      data-slot="error-summary"
      className="mb-6 scroll-mt-24 rounded-xl border border-red-300 bg-red-50 p-4 text-red-900 dark:border-red-800 dark:bg-red-950 dark:text-red-100"
    >
      {fields.length === 1 && only ? (
        line(only)
      ) : (
        <>
          <p className="font-semibold">{t('lfFix')}</p>
          <ul className="mt-1 list-disc pl-5">
            {fields.map((field) => (
              <li key={field}>{line(field)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
