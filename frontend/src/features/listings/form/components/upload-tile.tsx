import { Button } from '@/components/ui/button'
import { X } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import type { Upload } from '../use-photos'

/** A file on its way, and what became of it. */
export function UploadTile({
  upload,
  onRetry,
  onForget,
}: {
  upload: Upload
  onRetry: () => void
  onForget: () => void
}) {
  const { t } = useTranslation()
  const { name, preview, state, share, problem, again } = upload
  const percent = Math.round(share * 100)
  const failed = state === 'failed'
  return (
    <li
      data-slot="upload"
      className="relative overflow-hidden rounded-xl border border-slate-300 bg-white dark:border-slate-700 dark:bg-slate-900"
    >
      {preview && !failed && (
        <img src={preview} alt="" className="aspect-4/3 w-full bg-slate-200 object-cover opacity-60" />
      )}
      <div className="space-y-2 p-3 pr-12">
        <p className="truncate text-sm font-medium" title={name}>
          {name}
        </p>
        {failed ? (
          <p role="alert" className="text-sm text-red-700 dark:text-red-300">
            {problem}
          </p>
        ) : (
          <>
            <div
              role="progressbar"
              aria-label={t('upProgress', { name })}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={percent}
              className="h-1.5 overflow-hidden rounded-full bg-slate-200 dark:bg-slate-800"
            >
              <div className="h-full bg-brand dark:bg-blue-400" style={{ width: `${percent}%` }} />
            </div>
            <p className="text-xs text-slate-700 dark:text-slate-300">
              {state === 'sending'
                ? t('upPercent', { percent })
                : t(state === 'preparing' ? 'upPreparing' : 'upWaiting')}
            </p>
          </>
        )}
        {failed && again && (
          <Button variant="outline" size="sm" onClick={onRetry}>
            {t('upAgain')}
          </Button>
        )}
      </div>
      <button
        type="button"
        className="absolute right-1 bottom-1 flex size-11 items-center justify-center rounded-lg hover:bg-slate-500/15"
        aria-label={t(failed ? 'upDismiss' : 'upCancel', { name })}
        onClick={onForget}
      >
        <X aria-hidden className="size-4" />
      </button>
    </li>
  )
}
