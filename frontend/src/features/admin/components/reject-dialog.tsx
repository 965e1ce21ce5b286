import { TextArea } from '@/components/ui/field'
import { notify } from '@/lib/toast'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useModerate, type Waiting } from '../api/queue'
import { Confirm } from './confirm'

/** What is wrong most often, in words that the owner can act on. */
const REASONS = ['rjPhotos', 'rjAddress', 'rjPrice', 'rjDuplicate', 'rjContact', 'rjText'] as const
const LEAST = 10
const MOST = 1000

export function RejectDialog({
  rows,
  onDone,
  onClose,
}: {
  rows: readonly Waiting[]
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { mutate, isPending, error } = useModerate()
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const short = reason.trim().length < LEAST
  const submit = () => {
    setTried(true)
    if (short) return
    mutate(
      { ids: rows.map(({ id }) => id), to: 'rejected', reason: reason.trim() },
      {
        onSuccess: ({ done, failure }) => {
          if (failure) notify.failure(failure, 'moderate')
          else notify.success(t('adRejected', { count: done }))
          onDone()
        },
      },
    )
  }
  return (
    <Confirm
      title={
        rows.length === 1
          ? t('adRejectAsk', { name: rows[0]?.title })
          : t('adRejectMany', { count: rows.length })
      }
      action={t('adReject')}
      destructive
      busy={isPending}
      error={error}
      onConfirm={submit}
      onClose={onClose}
    >
      <fieldset>
        <legend className="text-sm font-medium">{t('adUsualReasons')}</legend>
        <div className="mt-2 flex flex-wrap gap-2">
          {REASONS.map((key) => (
            <button
              key={key}
              type="button"
              onClick={() =>
                setReason((before) => `${before.trim()}${before.trim() && '\n'}${t(key)}`.slice(0, MOST))
              }
              className="min-h-9 rounded-full border border-slate-400 px-3 py-1 text-left text-sm hover:bg-slate-100 dark:border-slate-500 dark:hover:bg-slate-800"
            >
              {t(key)}
            </button>
          ))}
        </div>
      </fieldset>
      <TextArea
        label={t('adReason')}
        required
        maxLength={MOST}
        value={reason}
        error={tried && short ? t('adReasonShort', { count: LEAST }) : undefined}
        onChange={({ target: { value } }) => setReason(value)}
      />
    </Confirm>
  )
}
