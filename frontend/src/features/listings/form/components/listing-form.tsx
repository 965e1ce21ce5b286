import { Button } from '@/components/ui/button'
import { cardClass } from '@/components/ui/page'
import { messageFor, reportError } from '@/lib/errors'
import { notify } from '@/lib/toast'
import { ArrowLeft, ArrowRight } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useSearchParams } from 'react-router-dom'
import type { OwnListing } from '../api/listing'
import { check } from '../schema/check'
import { fieldsOf, type Field } from '../schema/fields'
import { needsReview } from '../schema/row'
import { isStep, STEP_NAMES, STEPS, type Step } from '../schema/steps'
import { useListingForm } from '../use-listing-form'
import { idOf } from './control'
import { ErrorSummary } from './error-summary'
import { FormContext } from './form-context'
import { LeaveGuard } from './leave-guard'
import { Preview } from './preview'
import { SavedStamp } from './saved-stamp'
import { StepDetails } from './step-details'
import { StepKind } from './step-kind'
import { StepPhotos } from './step-photos'
import { StepPlace } from './step-place'
import { StepPricing } from './step-pricing'
import { StepReview } from './step-review'
import { Stepper } from './stepper'

const LEADS: Readonly<Record<Step, string>> = {
  kind: 'lfLeadKind',
  place: 'lfLeadPlace',
  details: 'lfLeadDetails',
  pricing: 'lfLeadPricing',
  photos: 'lfLeadPhotos',
  review: 'lfLeadReview',
}

/** Lists a property, or changes a listing, in six steps. The step is in the address. */
export function ListingFormView({
  user,
  listing,
  onCreated,
  onSubmitted,
}: {
  user: string
  listing: OwnListing | null
  onCreated: (listing: OwnListing, step: Step) => void
  onSubmitted: (submitted: boolean) => void
}) {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const asked = params.get('step')
  const step: Step = isStep(asked) ? asked : 'kind'
  const [attempts, setAttempts] = useState(0)
  const heading = useRef<HTMLHeadingElement>(null)
  const target = useRef<Step>('place')
  const created = useCallback((next: OwnListing) => onCreated(next, target.current), [onCreated])
  const form = useListingForm({ user, listing, onCreated: created })
  const scope = useMemo(() => ({ form, listing, user }), [form, listing, user])

  const show = useCallback(
    (next: Step, focus: Field | null = null) => {
      setParams((before) => {
        before.set('step', next)
        return before
      })
      setAttempts(0)
      // After the step has been drawn.
      setTimeout(() => {
        const control = focus && document.getElementById(idOf(focus))
        control?.closest('details')?.setAttribute('open', '')
        ;(control ?? heading.current)?.focus()
        if (!control) window.scrollTo({ top: 0 })
      }, 0)
    },
    [setParams],
  )
  const shown = useRef(step)
  useEffect(() => {
    shown.current = step
  }, [step])

  /** Leaves a step for another. Going back asks nothing; a new listing is saved with its first step. */
  const go = (next: Step) => {
    const forward = STEP_NAMES.indexOf(next) > STEP_NAMES.indexOf(step)
    if (forward && Object.keys(form.validate(step)).length > 0) {
      setAttempts((before) => before + 1)
      return
    }
    target.current = next
    // Whether it reaches the account or stays here for now, the next step is shown.
    if (form.isDraft && form.dirty) void form.save()
    show(next)
  }

  const finish = async (submit: boolean) => {
    if (Object.keys(check(form.values, t, { submit: true })).length > 0) {
      form.validate()
      setAttempts((before) => before + 1)
      return
    }
    if (!navigator.onLine) {
      notify.warning(t('lfOffline'))
      return
    }
    notify.loading(t('lfSending'))
    try {
      const hidden = listing?.status === 'active' && needsReview(form.stored, form.values)
      await form.finish(submit)
      notify.success(t(submit ? 'lfSubmitted' : hidden ? 'lfSavedHidden' : 'lfSavedChanges'))
      onSubmitted(submit)
    } catch (error) {
      reportError(error, 'listing')
      notify.error(t('lfSubmitFailed', { reason: messageFor(error) }), {
        action: { label: t('cwRetry'), onClick: () => void finish(submit) },
      })
    }
  }

  const index = STEP_NAMES.indexOf(step)
  const previous = STEP_NAMES[index - 1]
  const next = STEP_NAMES[index + 1]
  const submits = !listing || ['draft', 'rejected', 'archived'].includes(listing.status)
  const done = (name: Step) => {
    if (name === 'review') return false
    if (name === 'photos') return (listing?.images.length ?? 0) > 0
    if (!listing) return false
    const fields = fieldsOf(name)
    return (
      fields.some((field) => form.values[field].trim() && field !== 'locationPrecision') &&
      Object.keys(check(form.values, t, { fields, submit: true })).length === 0
    )
  }
  const body = {
    kind: <StepKind />,
    place: <StepPlace />,
    details: <StepDetails />,
    pricing: <StepPricing />,
    photos: <StepPhotos />,
    review: <StepReview onStep={(name) => show(name)} />,
  }[step]

  return (
    <FormContext value={scope}>
      <LeaveGuard
        unsaved={form.dirty && (!form.isDraft || form.saved.state === 'failed')}
        onLeave={form.reset}
      />
      <Stepper step={step} done={done} onStep={go} />
      <div className="mt-8 grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <form
          noValidate
          className={`${cardClass} min-w-0 max-sm:-mx-4 max-sm:rounded-none max-sm:border-x-0 max-sm:px-4`}
          onSubmit={(event) => {
            event.preventDefault()
            if (next) go(next)
          }}
        >
          {form.restored && (
            <p className="mb-6 flex flex-wrap items-center justify-between gap-2 rounded-xl bg-blue-50 p-3 text-sm text-blue-950 dark:bg-blue-950 dark:text-blue-100">
              {t('lfRestored')}
              {form.dirty && (
                <Button variant="outline" size="sm" onClick={form.reset}>
                  {t('lfStartOver')}
                </Button>
              )}
            </p>
          )}
          <h2 ref={heading} tabIndex={-1} className="scroll-mt-24 text-2xl font-semibold outline-none">
            {t(STEPS[step])}
          </h2>
          <p className="mt-1 mb-6 text-slate-700 dark:text-slate-300">{t(LEADS[step])}</p>
          <ErrorSummary
            errors={form.errors}
            shown={attempts}
            onField={(field, where) => show(where, field)}
          />
          {body}
          <div className="sticky bottom-0 z-10 -mx-4 mt-8 -mb-6 flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-slate-200 bg-white px-4 py-3 sm:-mx-6 sm:rounded-b-2xl sm:px-6 dark:border-slate-800 dark:bg-slate-900">
            {previous && (
              <Button variant="outline" onClick={() => go(previous)}>
                <ArrowLeft aria-hidden className="size-4" />
                <span className="max-[28rem]:sr-only">{t('lfBack')}</span>
              </Button>
            )}
            <SavedStamp saved={form.saved} isDraft={form.isDraft} />
            <div className="ml-auto flex flex-wrap gap-3">
              {!submits && (
                <Button
                  variant={next ? 'outline' : 'default'}
                  disabled={form.submitting || !form.dirty}
                  onClick={() => void finish(false)}
                >
                  {t('lfSaveChanges')}
                </Button>
              )}
              {next ? (
                <Button type="submit">
                  {t('lfNext')} <ArrowRight aria-hidden className="size-4" />
                </Button>
              ) : (
                submits && (
                  <Button disabled={form.submitting} onClick={() => void finish(true)}>
                    {t('lfSubmit')}
                  </Button>
                )
              )}
            </div>
          </div>
        </form>
        <aside className="sticky top-24 hidden space-y-4 lg:block">
          <h2 className="text-sm font-semibold text-slate-700 dark:text-slate-300">{t('lfPreview')}</h2>
          <Preview />
          <p className="flex items-center gap-3 rounded-xl bg-emerald-100 p-4 text-sm text-emerald-950 dark:bg-emerald-950 dark:text-emerald-100">
            <img src="/free-listing.svg" alt="" width="40" height="40" className="shrink-0" />
            {t('lfFree')}
          </p>
        </aside>
      </div>
    </FormContext>
  )
}
