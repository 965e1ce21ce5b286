import { Heart } from 'lucide-react'
import { Page } from '@/components/ui/page'
import { shortlistedOptions } from '@/features/listings/api/kept'
import { KeptList } from '@/features/listings/components/kept-list'
import { PropertyCard } from '@/features/listings/components/property-card'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '@/i18n/use-translation'

export function Component() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user?.id ?? '')
  const query = useQuery(shortlistedOptions(user))
  return (
    <Page title={t('shTitle')} noindex>
      <KeptList query={query} icon={Heart} empty={t('shEmpty')}>
        {(items) => (
          <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
            {items.map(({ property }) => (
              <PropertyCard key={property.id} property={property} />
            ))}
          </div>
        )}
      </KeptList>
    </Page>
  )
}
