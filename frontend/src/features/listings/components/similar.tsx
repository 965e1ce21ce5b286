import { Failure } from '@/components/ui/failure'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '@/i18n/use-translation'
import type { DetailedProperty } from '../api/get-property'
import { similarOptions } from '../api/search'
import { PropertyCard } from './property-card'

/** Up to three others of the same kind in the same city; absent when there are none. */
export function Similar({ property }: { property: DetailedProperty }) {
  const { t } = useTranslation()
  const like = { for: property.intent, type: [property.property_type], city: property.city ?? '' }
  const { data = [], error, isFetching, refetch } = useQuery(similarOptions(like, property.id))
  if (data.length === 0 && !error) return null
  return (
    <section className="mt-14 print:hidden">
      <h2 className="mb-4 text-2xl font-semibold">{t('prSimilar')}</h2>
      {error && data.length === 0 && (
        <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
      )}
      <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {data.map((other) => (
          <PropertyCard key={other.id} property={other} level="h3" />
        ))}
      </div>
    </section>
  )
}
