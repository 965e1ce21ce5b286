import { messageFor } from '@/lib/errors'
import { useTranslation } from '@/i18n/use-translation'
import { Button } from './button'

/** In the place of what did not come: why, and the next try. */
export function Failure({
  error,
  busy,
  onRetry,
  className,
}: {
  error: unknown
  busy: boolean
  onRetry: () => void
  className?: string
}) {
  const { t } = useTranslation()
  return (
    <div data-slot="failure" className={className}>
      <p role="alert">{messageFor(error)}</p>
      <Button className="mt-4" disabled={busy} onClick={onRetry}>
        {t('cwRetry')}
      </Button>
    </div>
  )
}
