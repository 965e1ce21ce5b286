import { Button, buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { DetailSkeleton } from '@/components/ui/detail-skeleton'
import { rememberPath } from '@/features/auth/session'
import { propertyOptions } from '@/features/listings/api/get-property'
import { PropertyDetail } from '@/features/listings/components/property-detail'
import { messageFor, reportError } from '@/lib/errors'
import { statusOf } from '@/lib/failure'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useNavigate, useParams } from 'react-router-dom'

export function Component() {
  const { slug = '' } = useParams()
  return <PropertyPage key={slug} slug={slug} />
}

function PropertyPage({ slug }: { slug: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const query = useQuery(propertyOptions(slug))
  const { error, isPending, isFetching, refetch } = query
  // So much at once would hold a phone for half a second: what is deferred is rendered in steps.
  const data = useDeferredValue(query.data)
  const missing = statusOf(error) === 406
  useEffect(() => {
    if (error) reportError(error, 'property-detail')
  }, [error])
  if (isPending || (query.data && !data)) return <DetailSkeleton />
  if (data)
    return (
      <PropertyDetail
        key={data.id}
        property={data}
        onSignIn={() => {
          rememberPath(`/property/${encodeURIComponent(data.slug)}#contact`)
          void navigate('/auth/login')
        }}
      />
    )
  return (
    <Page
      title={t(missing ? 'prMissing' : 'prFailed')}
      lead={missing ? t('prMissingText') : messageFor(error)}
      noindex
    >
      <div className="flex flex-wrap gap-3">
        {!missing && (
          <Button disabled={isFetching} onClick={() => void refetch()}>
            {t('cwRetry')}
          </Button>
        )}
        <Link to="/commercial" className={buttonVariants({ variant: missing ? 'default' : 'outline' })}>
          {t('prBrowse')}
        </Link>
      </div>
    </Page>
  )
}
