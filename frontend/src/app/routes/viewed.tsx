import { Eye } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { CardSkeletons } from '@/components/ui/card-skeletons'
import { Page } from '@/components/ui/page'
import { Skeleton } from '@/components/ui/skeleton'
import { useClearViewed, viewedOptions } from '@/features/listings/api/kept'
import { KeptList } from '@/features/listings/components/kept-list'
import { PropertyCard } from '@/features/listings/components/property-card'
import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'

export function Component() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user?.id ?? '')
  const query = useQuery(viewedOptions(user))
  const clear = useClearViewed(user)
  const [asking, setAsking] = useState(false)
  return (
    <Page title={t('viTitle')} noindex>
      <KeptList
        query={query}
        icon={Eye}
        empty={t('viEmpty')}
        skeleton={
          // Above the cards that come is a button.
          <Skeleton className="pt-17">
            <CardSkeletons className="" />
          </Skeleton>
        }
      >
        {(items) => (
          <>
            <div className="mb-6 flex flex-wrap items-center gap-3">
              {asking ? (
                <>
                  <p>{t('viSure')}</p>
                  <Button
                    variant="destructive"
                    disabled={clear.isPending}
                    onClick={() =>
                      clear.mutate(undefined, {
                        onSuccess: () => notify.success(t('viCleared')),
                        onError: (error) => notify.failure(error, 'clear-viewed'),
                      })
                    }
                  >
                    {t('viClear')}
                  </Button>
                  <Button variant="outline" onClick={() => setAsking(false)}>
                    {t('prCancel')}
                  </Button>
                </>
              ) : (
                <Button variant="outline" onClick={() => setAsking(true)}>
                  {t('viClear')}
                </Button>
              )}
            </div>
            <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
              {items.map(({ property }) => (
                <PropertyCard key={property.id} property={property} />
              ))}
            </div>
          </>
        )}
      </KeptList>
    </Page>
  )
}
