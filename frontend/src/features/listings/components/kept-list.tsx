import { Button, buttonVariants } from '@/components/ui/button'
import { Empty } from '@/components/ui/empty'
import { Spinner } from '@/components/ui/spinner'
import { messageFor } from '@/lib/errors'
import type { UseQueryResult } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

/** The states of a list of what somebody kept: on its way, not to be had, empty, there. */
export function KeptList<T>({
  query,
  empty,
  icon,
  children,
}: {
  query: UseQueryResult<readonly T[]>
  empty: string
  icon: LucideIcon
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
    <Empty icon={icon} text={empty}>
      <Link to="/commercial" className={buttonVariants({ className: 'h-auto! min-h-11 whitespace-normal!' })}>
        {t('prBrowse')}
      </Link>
    </Empty>
  )
}
