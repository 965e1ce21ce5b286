import { buttonVariants } from '@/components/ui/button'
import { CardSkeletons } from '@/components/ui/card-skeletons'
import { Empty } from '@/components/ui/empty'
import { Failure } from '@/components/ui/failure'
import { Skeleton } from '@/components/ui/skeleton'
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
  skeleton,
  children,
}: {
  query: UseQueryResult<readonly T[]>
  empty: string
  icon: LucideIcon
  /** Its shape while it is on its way; cards, unless said. */
  skeleton?: ReactNode
  children: (items: readonly T[]) => ReactNode
}) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = query
  if (data && data.length > 0) return children(data)
  if (error) return <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
  if (!data)
    return (
      skeleton ?? (
        <Skeleton>
          <CardSkeletons className="" />
        </Skeleton>
      )
    )
  return (
    <Empty icon={icon} text={empty}>
      <Link to="/commercial" className={buttonVariants({ className: 'h-auto! min-h-11 whitespace-normal!' })}>
        {t('prBrowse')}
      </Link>
    </Empty>
  )
}
