import { Button } from '@/components/ui/button'
import { controlClass, TextArea } from '@/components/ui/field'
import { messageFor } from '@/lib/errors'
import { notify } from '@/lib/toast'
import { useEffect, useId, useRef, useState, type FormEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useReportProperty } from '../api/report-property'

const REASONS = {
  gone: 'rpGone',
  wrong: 'rpWrong',
  fraud: 'rpFraud',
  duplicate: 'rpDuplicate',
  other: 'rpOther',
} as const

export function ReportDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation()
  const dialog = useRef<HTMLDialogElement>(null)
  const [details, setDetails] = useState('')
  const label = useId()
  const report = useReportProperty(id)
  useEffect(() => dialog.current?.showModal(), [])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const reason = String(new FormData(event.currentTarget).get('reason'))
    report.mutate(
      { reason, details: details.trim() },
      {
        onSuccess: () => {
          notify.success(t('rpThanks'))
          dialog.current?.close()
        },
      },
    )
  }
  return (
    <dialog
      ref={dialog}
      data-slot="report-dialog"
      aria-labelledby={`${label}-title`}
      onClose={onClose}
      className="m-auto w-[min(28rem,calc(100vw-2rem))] rounded-2xl bg-white p-6 text-slate-900 backdrop:bg-black/60 dark:bg-slate-900 dark:text-slate-100"
    >
      <form className="space-y-4" onSubmit={submit}>
        <h2 id={`${label}-title`} className="text-xl font-semibold">
          {t('prReport')}
        </h2>
        {report.error && (
          <p role="alert" className="text-red-700 dark:text-red-300">
            {messageFor(report.error)}
          </p>
        )}
        <div className="space-y-1.5">
          <label htmlFor={label} className="text-sm font-medium">
            {t('rpReason')}
          </label>
          <select id={label} name="reason" className={controlClass}>
            {Object.entries(REASONS).map(([reason, key]) => (
              <option key={reason} value={reason}>
                {t(key)}
              </option>
            ))}
          </select>
        </div>
        <TextArea
          label={t('rpDetails')}
          maxLength={2000}
          value={details}
          onChange={(event) => setDetails(event.target.value)}
        />
        <div className="flex flex-wrap justify-end gap-3">
          <Button variant="outline" onClick={() => dialog.current?.close()}>
            {t('prCancel')}
          </Button>
          <Button type="submit" disabled={report.isPending}>
            {t('rpSend')}
          </Button>
        </div>
      </form>
    </dialog>
  )
}
