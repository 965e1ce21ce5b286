import { lettersFor } from '@/i18n'
import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { NONE, PAGE_SIZE, type Filters, type Sort } from '../filters'
import { listingKeys } from './keys'

/** The columns that a card shows. */
export const CARD =
  'id, slug, title, price, intent, property_type, sub_type, locality, city, carpet_area, built_up_area, plot_area, price_per_sqft, furnishing, seats, verified, rera_number, featured, published_at, images:property_images(url, order, is_cover)'
type Order = readonly [column: string, ascending: boolean]
const ORDERS: Readonly<Record<Sort, Order>> = {
  newest: ['published_at', false],
  price_asc: ['price', true],
  price_desc: ['price', false],
  area_asc: ['carpet_area', true],
  area_desc: ['carpet_area', false],
  rate_asc: ['price_per_sqft', true],
}
const FLOORS = { ground: [0, 0], low: [1, 4], high: [5, 200] } as const
const DAY = 86_400_000

/** The listings that these filters leave, as a query that can still be ordered and cut. */
function matching(supabase: Awaited<ReturnType<typeof getSupabase>>, filters: Filters) {
  let query = supabase
    .rpc(
      'search_properties',
      { ...(filters.q && { q: filters.q }), ...(filters.bbox && { bbox: filters.bbox }) },
      { count: 'exact' },
    )
    .select(CARD)
  if (filters.for) query = query.eq('intent', filters.for)
  if (filters.type.length) query = query.in('property_type', filters.type)
  if (filters.sub.length) query = query.in('sub_type', filters.sub)
  if (filters.city) query = query.eq('city', filters.city)
  if (filters.locality) query = query.eq('locality', filters.locality)
  if (filters.min !== null) query = query.gte('price', filters.min)
  if (filters.max !== null) query = query.lte('price', filters.max)
  if (filters.amin !== null) query = query.gte('carpet_area', filters.amin)
  if (filters.amax !== null) query = query.lte('carpet_area', filters.amax)
  if (filters.furn.length) query = query.in('furnishing', filters.furn)
  if (filters.floor) {
    const [lowest, highest] = FLOORS[filters.floor]
    query = query.gte('floor_number', lowest).lte('floor_number', highest)
  }
  if (filters.park !== null) query = query.gte('parking_covered', filters.park)
  if (filters.grade.length) query = query.in('building_grade', filters.grade)
  if (filters.ready) query = query.eq('possession', 'ready')
  if (filters.rera) query = query.not('rera_number', 'is', null)
  if (filters.verified) query = query.eq('verified', true)
  if (filters.amen.length)
    query = query.contains('amenities', Object.fromEntries(filters.amen.map((name) => [name, true])))
  if (filters.posted)
    query = query.gte('published_at', new Date(Date.now() - Number(filters.posted) * DAY).toISOString())
  return query
}

async function countMatching(filters: Filters, signal: AbortSignal) {
  const { count, error, status } = await matching(await getSupabase(), filters)
    .limit(1)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return count ?? 0
}

async function getPage(filters: Filters, page: number, signal: AbortSignal) {
  let query = matching(await getSupabase(), filters)
  if (filters.sort) {
    const [column, ascending] = ORDERS[filters.sort]
    // The id makes the order of equals the same on every page.
    query = query.order(column, { ascending, nullsFirst: false }).order('id')
  }
  const from = (page - 1) * PAGE_SIZE
  return query
    .range(from, from + PAGE_SIZE - 1)
    .abortSignal(signal)
    .retry(false)
}

async function search(filters: Filters, signal: AbortSignal) {
  let page = filters.page
  let answer = await getPage(filters, page, signal)
  if (answer.status === 416) {
    // Beyond the end: the last page instead.
    page = Math.max(1, Math.ceil((await countMatching(filters, signal)) / PAGE_SIZE))
    answer = await getPage(filters, page, signal)
  }
  const { data, count, error, status } = answer
  if (error) throw failed(error, status)
  await lettersFor(data.map(({ title }) => title))
  const total = count ?? data.length
  return { properties: data, total, page, pages: Math.max(1, Math.ceil(total / PAGE_SIZE)) }
}

export const searchOptions = (filters: Filters) =>
  queryOptions({
    queryKey: listingKeys.search(filters),
    queryFn: ({ signal }) => search(filters, signal),
    // What was shown stays, dimmed, until the next answer is there.
    placeholderData: keepPreviousData,
  })

export const countOptions = (filters: Filters) =>
  queryOptions({
    queryKey: listingKeys.count({ ...filters, sort: '', page: 1 }),
    queryFn: ({ signal }) => countMatching(filters, signal),
  })

export type ListedProperty = Awaited<ReturnType<typeof search>>['properties'][number]

/** As many as a map can show at once without becoming slow. */
export const MOST_PINS = 500

async function getPins(filters: Filters, signal: AbortSignal) {
  const { data, count, error, status } = await matching(await getSupabase(), filters)
    .select('id, slug, title, price, intent, locality, city, lat, lng')
    .not('lat', 'is', null)
    .not('lng', 'is', null)
    .limit(MOST_PINS)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  const pins = data.flatMap(({ lat, lng, ...pin }) =>
    lat === null || lng === null ? [] : [{ ...pin, lat, lng }],
  )
  return { pins, total: count ?? pins.length }
}

/** The points of what the filters leave; the order and the page of the list are of no concern to a map. */
export const pinsOptions = (filters: Filters) =>
  queryOptions({
    queryKey: listingKeys.pins(filters),
    queryFn: ({ signal }) => getPins(filters, signal),
    placeholderData: keepPreviousData,
  })

type Like = Pick<Filters, 'for' | 'type' | 'city'>

async function getOthers(like: Like, known: readonly string[], count: number, signal: AbortSignal) {
  const { data, error, status } = await matching(await getSupabase(), { ...NONE, ...like })
    .not('id', 'in', `(${known.join(',')})`)
    .range(0, count - 1)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data
}

/** Three of the same kind, those of the same city first. */
async function getSimilar(like: Like, id: string, signal: AbortSignal) {
  const near = await getOthers(like, [id], 3, signal)
  if (near.length === 3) return near
  const known = [id, ...near.map((other) => other.id)]
  return [...near, ...(await getOthers({ ...like, city: '' }, known, 3 - near.length, signal))]
}

export const similarOptions = (like: Like, id: string) =>
  queryOptions({
    queryKey: listingKeys.similar(id),
    queryFn: ({ signal }) => getSimilar(like, id, signal),
  })

async function getFeatured(signal: AbortSignal) {
  const { data, error, status } = await matching(await getSupabase(), NONE)
    .eq('featured', true)
    .range(0, 2)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data
}

export const featuredOptions = queryOptions({
  queryKey: listingKeys.featured,
  queryFn: ({ signal }) => getFeatured(signal),
})
