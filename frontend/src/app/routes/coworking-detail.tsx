import { Button, buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { DetailSkeleton } from '@/components/ui/detail-skeleton'
import { spaceOptions } from '@/features/coworking/api/get-space'
import { SpaceDetail } from '@/features/coworking/components/space-detail'
import { messageFor, reportError } from '@/lib/errors'
import { notify } from '@/lib/toast'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useParams } from 'react-router-dom'

export function Component() {
  const { t } = useTranslation()
  const { slug = '' } = useParams()
  const { data, error, isPending, isFetching, refetch } = useQuery(spaceOptions(slug))
  useEffect(() => {
    if (!error) return
    reportError(error, 'coworking-detail')
    notify.error(t('cwFailed'))
  }, [error, t])
  if (isPending) return <DetailSkeleton />
  if (data) return <SpaceDetail key={data.id} space={data} />
  // An answer without a row is final; anything else may work the next time.
  const missing = error !== null && 'status' in error && error.status === 406
  return (
    <Page title={t('cwMissing')} lead={missing ? undefined : messageFor(error)} noindex>
      <div className="flex flex-wrap gap-3">
        {!missing && (
          <Button disabled={isFetching} onClick={() => void refetch()}>
            {t('cwRetry')}
          </Button>
        )}
        <Link to="/coworking" className={buttonVariants({ variant: missing ? 'default' : 'outline' })}>
          {t('cwBrowse')}
        </Link>
      </div>
    </Page>
  )
}
