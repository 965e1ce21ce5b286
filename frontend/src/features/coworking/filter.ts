import type { ListedSpace } from './api/get-spaces'
import { AMENITIES, amenityKeys, lowestPrice, OFFERINGS } from './format'

export const BUDGETS = [500, 1000, 2500, 5000, 10_000] as const
export const SORTS = { low: 'cwSortLow', high: 'cwSortHigh', name: 'cwSortName' } as const
export type Sort = keyof typeof SORTS

export const startingPrice = (space: Pick<ListedSpace, 'min_price' | 'offerings'>) =>
  space.min_price ?? lowestPrice(space.offerings)

/** What the address asks for; values that mean nothing are ignored. */
export function readFilters(params: URLSearchParams) {
  const own = (name: string, known: object) => {
    const value = params.get(name) ?? ''
    return Object.hasOwn(known, value) ? value : ''
  }
  const max = Number(params.get('max'))
  return {
    text: params.get('q') ?? '',
    city: params.get('city') ?? '',
    type: own('type', OFFERINGS),
    amenity: own('amenity', AMENITIES),
    max: BUDGETS.find((budget) => budget === max) ?? 0,
    sort: own('sort', SORTS) as Sort | '',
  }
}

export type Filters = ReturnType<typeof readFilters>

export function applyFilters(spaces: readonly ListedSpace[], filters: Filters) {
  const needle = filters.text.trim().toLowerCase()
  const shown = spaces.filter((space) => {
    const price = startingPrice(space)
    return (
      [space.name, space.city, space.locality].some((part) => part?.toLowerCase().includes(needle)) &&
      (!filters.type || space.offerings.some((item) => item.offering_type === filters.type)) &&
      (!filters.amenity || amenityKeys(space.amenities).includes(filters.amenity)) &&
      (!filters.max || (price !== null && price <= filters.max))
    )
  })
  if (filters.sort === 'name') return shown.sort((a, b) => a.name.localeCompare(b.name, 'en'))
  if (filters.sort === '') return shown
  const sign = filters.sort === 'low' ? 1 : -1
  // Places that give no price stay last in both directions.
  return shown.sort((a, b) => {
    const [left, right] = [startingPrice(a), startingPrice(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * (left - right)
  })
}
