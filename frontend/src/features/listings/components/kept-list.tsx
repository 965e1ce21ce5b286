import { Button, buttonVariants } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { messageFor } from '@/lib/errors'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'

/** The states of a list of what somebody kept: on its way, not to be had, empty, there. */
export function KeptList<T>({
  query,
  empty,
  children,
}: {
  query: UseQueryResult<readonly T[]>
  empty: string
  children: (items: readonly T[]) => ReactNode
}) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = query
  if (data && data.length > 0) return children(data)
  if (error)
    return (
      <>
        <p role="alert">{messageFor(error)}</p>
        <Button className="mt-4" disabled={isFetching} onClick={() => void refetch()}>
          {t('cwRetry')}
        </Button>
      </>
    )
  if (!data) return <Spinner />
  return (
    <>
      <p>{empty}</p>
      <Link to="/commercial" className={buttonVariants({ className: 'mt-4' })}>
        {t('prBrowse')}
      </Link>
    </>
  )
}
