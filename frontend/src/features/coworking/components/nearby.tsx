import { Failure } from '@/components/ui/failure'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '@/i18n/use-translation'
import type { DetailedSpace } from '../api/get-space'
import { spacesOptions } from '../api/get-spaces'
import { distance, parseCoordinates } from '../format'
import { SpaceCard } from './space-card'

/** Up to three others of the same city, the closest first; absent when there are none. */
export function Nearby({ space }: { space: DetailedSpace }) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = useQuery(spacesOptions(space.city))
  const failed = error && !data
  const here = parseCoordinates(space.coordinates)
  const away = (coordinates: typeof space.coordinates) => {
    const there = parseCoordinates(coordinates)
    return here && there ? distance(here, there) : Number.MAX_VALUE
  }
  const others = (data ?? [])
    .filter(({ id }) => id !== space.id)
    .sort((a, b) => away(a.coordinates) - away(b.coordinates))
    .slice(0, 3)
  if (others.length === 0 && !failed) return null
  return (
    <section className="mt-14">
      <h2 className="mb-4 text-2xl font-semibold">{t('cwNearby')}</h2>
      {failed && <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />}
      <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {others.map((other) => (
          <SpaceCard key={other.id} space={other} level="h3" />
        ))}
      </div>
    </section>
  )
}
