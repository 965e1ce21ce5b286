import { Button } from '@/components/ui/button'
import { CircleAlert, CircleCheck, Pencil } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { AMENITIES } from '../../labels'
import { date, number, rupees } from '../../money'
import { check } from '../schema/check'
import { fieldsOf, ruleOf, type Field } from '../schema/fields'
import { needsReview } from '../schema/row'
import { STEP_NAMES, STEPS, type Step } from '../schema/steps'
import { isAsked, numberIn, wordsOf, type Values } from '../schema/values'
import { useForm } from './form-context'
import { Preview } from './preview'

/** What was typed in a field, as people read it. */
export function useReading() {
  const { t } = useTranslation()
  return (field: Field, values: Values) => {
    const { is } = ruleOf(field)
    const text = values[field].trim()
    const amount = numberIn(field, text)
    switch (is.kind) {
      case 'choice':
        return t(wordsOf(field, values)[text] ?? text)
      case 'answer':
      case 'flag':
        return t(text === 'yes' ? 'prYes' : 'prNo')
      case 'flags':
        return text
          .split(',')
          .map((name) => t(AMENITIES[name] ?? name))
          .join(', ')
      case 'amount':
        return amount === null ? text : rupees(amount)
      case 'number':
        if (amount === null) return text
        return `${field === 'lat' || field === 'lng' ? amount : number(amount)}${is.unit ? ` ${t(is.unit)}` : ''}`
      case 'date':
        return date(text)
      default:
        return text
    }
  }
}

/** All of it once more, with what is missing and the way back to each step. */
export function StepReview({ onStep }: { onStep: (step: Step) => void }) {
  const { t } = useTranslation()
  const { form, listing } = useForm()
  const read = useReading()
  const { values } = form
  const missing = check(values, t, { submit: true })
  const photos = listing?.images.length ?? 0
  const steps = STEP_NAMES.filter((step) => step !== 'photos' && step !== 'review')
  const hides = listing?.status === 'active' && needsReview(form.stored, values)
  return (
    <div className="space-y-6">
      {Object.keys(missing).length > 0 ? (
        <p
          role="status"
          className="flex gap-2 rounded-xl bg-amber-100 p-4 text-amber-950 dark:bg-amber-950 dark:text-amber-100"
        >
          <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
          {t('reMissing', { count: Object.keys(missing).length })}
        </p>
      ) : (
        <p
          role="status"
          className="flex gap-2 rounded-xl bg-emerald-100 p-4 text-emerald-950 dark:bg-emerald-950 dark:text-emerald-100"
        >
          <CircleCheck aria-hidden className="mt-0.5 size-5 shrink-0" /> {t('reComplete')}
        </p>
      )}
      {hides && (
        <p className="rounded-xl bg-amber-100 p-4 text-amber-950 dark:bg-amber-950 dark:text-amber-100">
          {t('reHides')}
        </p>
      )}
      {photos === 0 && (
        <p className="rounded-xl bg-blue-50 p-4 text-blue-950 dark:bg-blue-950 dark:text-blue-100">
          {t('reNoPhotos')}
        </p>
      )}
      <div className="mx-auto max-w-sm lg:hidden">
        <Preview />
      </div>
      {steps.map((step) => {
        const fields = fieldsOf(step).filter(
          (field) => isAsked(field, values) && (values[field].trim() || missing[field]),
        )
        return (
          <section
            key={step}
            className="rounded-xl border border-slate-300 bg-white p-5 dark:border-slate-700 dark:bg-slate-900"
          >
            <div className="mb-3 flex items-center justify-between gap-3">
              <h3 className="text-lg font-semibold">{t(STEPS[step])}</h3>
              <Button
                variant="outline"
                size="sm"
                aria-label={t('reEditName', { step: t(STEPS[step]) })}
                onClick={() => onStep(step)}
              >
                <Pencil aria-hidden className="size-4" /> {t('reEdit')}
              </Button>
            </div>
            <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
              {fields.map((field) => {
                const { is } = ruleOf(field)
                const long = is.kind === 'flags' || (is.kind === 'text' && is.most > 100)
                return (
                  <div key={field} className={long ? 'sm:col-span-2' : undefined}>
                    <dt className="text-slate-600 dark:text-slate-400">{t(ruleOf(field).label)}</dt>
                    <dd className="font-medium whitespace-pre-line wrap-anywhere">
                      {missing[field] ? (
                        <span className="text-red-700 dark:text-red-300">{missing[field]}</span>
                      ) : (
                        read(field, values)
                      )}
                    </dd>
                  </div>
                )
              })}
            </dl>
          </section>
        )
      })}
      <section className="flex items-center justify-between gap-3 rounded-xl border border-slate-300 bg-white p-5 dark:border-slate-700 dark:bg-slate-900">
        <h3 className="text-lg font-semibold">{t('prPhotos', { count: photos })}</h3>
        <Button
          variant="outline"
          size="sm"
          aria-label={t('reEditName', { step: t('lfStepPhotos') })}
          onClick={() => onStep('photos')}
        >
          <Pencil aria-hidden className="size-4" /> {t('reEdit')}
        </Button>
      </section>
    </div>
  )
}
