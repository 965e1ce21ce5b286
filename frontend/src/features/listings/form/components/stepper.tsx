import { cn } from '@/lib/cn'
import { Check } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { STEP_NAMES, STEPS, type Step } from '../schema/steps'

/** Where one is in the form, and the way to the other steps. */
export function Stepper({
  step,
  done,
  onStep,
}: {
  step: Step
  done: (step: Step) => boolean
  onStep: (step: Step) => void
}) {
  const { t } = useTranslation()
  const index = STEP_NAMES.indexOf(step)
  return (
    <nav aria-label={t('lfSteps')} data-slot="stepper">
      <div className="lg:hidden">
        <p className="flex items-baseline justify-between text-sm font-semibold">
          <span>{t(STEPS[step])}</span>
          <span className="font-normal text-slate-700 dark:text-slate-300">
            {t('lfStepOf', { number: index + 1, count: STEP_NAMES.length })}
          </span>
        </p>
        <div aria-hidden className="mt-2 h-1.5 overflow-hidden rounded-full bg-slate-200 dark:bg-slate-800">
          <div
            className="h-full rounded-full bg-brand transition-[width] dark:bg-blue-400"
            style={{ width: `${((index + 1) / STEP_NAMES.length) * 100}%` }}
          />
        </div>
      </div>
      <ol className="hidden gap-2 lg:flex">
        {STEP_NAMES.map((name, position) => {
          const isDone = done(name)
          const isHere = name === step
          return (
            <li key={name} className="min-w-0 flex-1">
              <button
                type="button"
                aria-current={isHere ? 'step' : undefined}
                onClick={() => onStep(name)}
                className={cn(
                  'flex min-h-11 w-full items-center gap-2 border-t-4 pt-3 text-left text-sm font-medium',
                  isHere
                    ? 'border-brand text-brand dark:border-blue-400 dark:text-blue-200'
                    : isDone
                      ? 'border-emerald-700 dark:border-emerald-500'
                      : 'border-slate-300 text-slate-700 dark:border-slate-700 dark:text-slate-300',
                )}
              >
                <span
                  aria-hidden
                  className={cn(
                    'flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-bold',
                    isHere
                      ? 'bg-brand text-white'
                      : isDone
                        ? 'bg-emerald-700 text-white'
                        : 'bg-slate-200 text-slate-900 dark:bg-slate-800 dark:text-slate-100',
                  )}
                >
                  {isDone && !isHere ? <Check className="size-3.5" /> : position + 1}
                </span>
                <span className="truncate">{t(STEPS[name])}</span>
                {isDone && <span className="sr-only">{t('lfStepDone')}</span>}
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
