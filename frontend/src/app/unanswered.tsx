import { Failure } from '@/components/ui/failure'
import { Page } from '@/components/ui/page'

/** In the place of a page of which it is not known whether this person may see it: why, and the next try. */
export function Unanswered({
  title,
  error,
  onRetry,
}: {
  title: string
  error: unknown
  onRetry: () => void
}) {
  return (
    <Page title={title} noindex>
      <Failure error={error} busy={false} onRetry={onRetry} />
    </Page>
  )
}
