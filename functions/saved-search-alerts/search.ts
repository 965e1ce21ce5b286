/** What a kept search asks for, in the parameters of the search page's address. */
export type Wanted = URLSearchParams

const FLOORS: Readonly<Record<string, readonly [number, number]>> = {
  ground: [0, 0],
  low: [1, 4],
  high: [5, 200],
}

/** The parts of the client's query that a search needs; each gives the query back. */
export type Filterable<Query> = {
  eq(column: string, value: unknown): Query
  in(column: string, values: readonly string[]): Query
  gte(column: string, value: unknown): Query
  lte(column: string, value: unknown): Query
  contains(column: string, value: Record<string, unknown>): Query
  not(column: string, operator: string, value: unknown): Query
}

/** The address that a stored search holds; what is no address asks for everything. */
export function wantedIn(query: unknown): Wanted {
  const params = typeof query === 'object' && query !== null && 'params' in query ? query.params : ''
  return new URLSearchParams(typeof params === 'string' ? params : '')
}

/** Narrows a query as the search page does. What is unknown or malformed is left out. */
export function narrow<Query extends Filterable<Query>>(query: Query, wanted: Wanted): Query {
  const text = (name: string) => (wanted.get(name) ?? '').trim().slice(0, 200)
  const many = (name: string, pattern = /^[a-z_]{1,40}$/) =>
    text(name)
      .split(',')
      .filter((value) => pattern.test(value))
  const amount = (name: string) => (/^\d{1,12}$/.test(text(name)) ? Number(text(name)) : 0)
  let next = query
  const intent = text('for') === 'buy' ? 'sale' : text('for')
  if (intent === 'sale' || intent === 'lease') next = next.eq('intent', intent)
  for (const [name, column] of Object.entries({
    type: 'property_type',
    sub: 'sub_type',
    furn: 'furnishing',
    grade: 'building_grade',
  }))
    if (many(name).length) next = next.in(column, many(name))
  if (text('city')) next = next.eq('city', text('city'))
  if (text('locality')) next = next.eq('locality', text('locality'))
  if (amount('min')) next = next.gte('price', amount('min'))
  if (amount('max')) next = next.lte('price', amount('max'))
  if (amount('amin')) next = next.gte('carpet_area', amount('amin'))
  if (amount('amax')) next = next.lte('carpet_area', amount('amax'))
  const floor = FLOORS[text('floor')]
  if (floor) next = next.gte('floor_number', floor[0]).lte('floor_number', floor[1])
  if (amount('park')) next = next.gte('parking_covered', amount('park'))
  if (text('ready') === '1') next = next.eq('possession', 'ready')
  if (text('rera') === '1') next = next.not('rera_number', 'is', null)
  if (text('verified') === '1') next = next.eq('verified', true)
  const amenities = many('amen')
  if (amenities.length)
    next = next.contains('amenities', Object.fromEntries(amenities.map((name) => [name, true])))
  return next
}

const DAY = 86_400_000
/** A little less than a day, so that a clock that is late does not skip one. */
const DAILY = DAY - 3_600_000

type Kept = { alert: string; created_at: string; last_notified_at: string | null }

/** Whether somebody may be told of this search again. */
export function isDue({ alert, last_notified_at: last }: Kept, now: number) {
  if (alert === 'instant') return true
  return alert === 'daily' && (last === null || now - Date.parse(last) >= DAILY)
}

/** From when on a listing is new to this search. */
export const newSince = ({ created_at: kept, last_notified_at: last }: Kept) => last ?? kept
