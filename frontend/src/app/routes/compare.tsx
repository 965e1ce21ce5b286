import { Button, buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { Empty } from '@/components/ui/empty'
import { Failure } from '@/components/ui/failure'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import { comparedOptions } from '@/features/listings/api/get-compared'
import { compareAddress, readIds } from '@/features/listings/compare'
import { CompareTable } from '@/features/listings/components/compare-table'
import { useSeo } from '@/lib/seo'
import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { Link2, Scale } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'

/** The address says what is compared; without it saying anything it takes what was chosen in the lists. */
function useCompared() {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const { comparisonList: list, removeFromComparison, clearComparison } = useAppStore()
  const asked = params.get('ids')
  const chosen = list.map(({ id }) => id).join(',')
  useEffect(() => {
    if (asked === null && chosen) void navigate(compareAddress(chosen.split(',')), { replace: true })
  }, [asked, chosen, navigate])
  const ids = readIds(asked)
  return {
    ids,
    remove: (id: string) => {
      removeFromComparison(id)
      void navigate(compareAddress(ids.filter((other) => other !== id)), { replace: true })
    },
    clear: () => {
      clearComparison()
      void navigate('/compare', { replace: true })
    },
  }
}

/** The table's head and its first rows while it is on its way. */
function CompareSkeleton({ columns }: { columns: number }) {
  return (
    <Skeleton>
      <Bar className="mb-4 h-11 w-64" />
      <div className="grid auto-cols-[minmax(10rem,1fr)] grid-flow-col gap-4 overflow-hidden">
        {Array.from({ length: columns }, (_, column) => (
          <div key={column} className="space-y-4">
            <Bar className="aspect-4/3 w-full" />
            {Array.from({ length: 8 }, (_row, row) => (
              <Bar key={row} className="h-6 w-4/5" />
            ))}
          </div>
        ))}
      </div>
    </Skeleton>
  )
}

export function Component() {
  const { t } = useTranslation()
  const { ids, remove, clear } = useCompared()
  const { data, error, isFetching, refetch } = useQuery(comparedOptions(ids))
  useSeo({ title: t('cmTitle'), description: t('cmLead'), path: '/compare' })
  const properties = (data ?? []).filter(({ id }) => ids.includes(id))
  const gone = data && !isFetching ? ids.length - properties.length : 0
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(window.location.href)
      notify.success(t('prCopied'))
    } catch (failure) {
      notify.failure(failure, 'compare')
    }
  }
  return (
    <Page title={t('cmTitle')} lead={t('cmLead')} noindex={ids.length > 0}>
      {error ? (
        <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : ids.length > 0 && !data ? (
        <CompareSkeleton columns={ids.length} />
      ) : (
        <>
          {gone > 0 && (
            <p className="mb-4 rounded-lg bg-amber-50 p-3 text-amber-950 dark:bg-amber-950 dark:text-amber-50">
              {t('cmGone', { count: gone })}
            </p>
          )}
          {properties.length < 2 && (
            <div className="mb-6">
              <Empty icon={Scale} text={t(properties.length ? 'cmNeedOne' : 'cmNeedTwo')}>
                <Link
                  to="/commercial"
                  className={buttonVariants({ className: 'h-auto! min-h-11 whitespace-normal!' })}
                >
                  {t('prBrowse')}
                </Link>
              </Empty>
            </div>
          )}
          {properties.length > 0 && (
            <>
              <div className="mb-4 flex flex-wrap gap-2">
                <Button variant="outline" onClick={() => void copy()}>
                  <Link2 aria-hidden className="size-4" /> {t('cmCopy')}
                </Button>
                <Button variant="ghost" onClick={clear}>
                  {t('cmClear')}
                </Button>
              </div>
              <CompareTable properties={properties} onRemove={remove} />
            </>
          )}
        </>
      )}
    </Page>
  )
}
