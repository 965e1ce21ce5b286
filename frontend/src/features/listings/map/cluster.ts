export type Pin = {
  id: string
  slug: string
  title: string | null
  price: number | null
  intent: 'lease' | 'sale'
  locality: string | null
  city: string | null
  lat: number
  lng: number
}
export type Cluster = { key: string; lat: number; lng: number; pins: readonly Pin[] }

const CELL = 64

/**
 * Gathers pins that would overlap: those that fall into one cell of a grid of the screen. The grid hangs on the world and
 * not on the window, so that moving the map regroups nothing.
 */
export function clusterPins(
  pins: readonly Pin[],
  project: (lat: number, lng: number) => { x: number; y: number },
): Cluster[] {
  const cells = new Map<string, Pin[]>()
  for (const pin of pins) {
    const { x, y } = project(pin.lat, pin.lng)
    const key = `${Math.floor(x / CELL)}:${Math.floor(y / CELL)}`
    const cell = cells.get(key)
    if (cell) cell.push(pin)
    else cells.set(key, [pin])
  }
  return [...cells].map(([key, own]) => ({
    key: own.length === 1 ? (own[0]?.id ?? key) : `${key}:${own.length}`,
    lat: mean(own.map(({ lat }) => lat)),
    lng: mean(own.map(({ lng }) => lng)),
    pins: own,
  }))
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

export type Label = { name: string; lat: number; lng: number }

/** What to call each cluster: the place that most of it is in. A name is given once, where most of it is. */
export function labelsOf(clusters: readonly Cluster[], by: 'city' | 'locality'): Label[] {
  const labels = new Map<string, Label & { count: number }>()
  for (const { lat, lng, pins } of clusters) {
    const counts = new Map<string, number>()
    for (const pin of pins) {
      const name = pin[by]
      if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    const [most] = [...counts].sort((a, b) => b[1] - a[1])
    if (!most) continue
    const [name, count] = most
    if ((labels.get(name)?.count ?? 0) < count) labels.set(name, { name, lat, lng, count })
  }
  return [...labels.values()].map(({ name, lat, lng }) => ({ name, lat, lng }))
}

/** The edges of a box as the address has them, and back. */
export type Box = readonly [west: number, south: number, east: number, north: number]
const inside = (value: number, most: number) => Math.max(-most, Math.min(most, value))
export const writeBox = ([west, south, east, north]: Box) =>
  [inside(west, 180), inside(south, 90), inside(east, 180), inside(north, 90)]
    .map((edge) => edge.toFixed(4))
    .join(',')
export function readBox(text: string): Box | null {
  const [west, south, east, north] = text.split(',').map(Number)
  if (west === undefined || south === undefined || east === undefined || north === undefined) return null
  return west < east && south < north ? [west, south, east, north] : null
}

/** The price as it fits on a pin. */
export function pinPrice(price: number | null) {
  if (price === null) return '₹?'
  const short = (value: number) => String(Math.round(value * 10) / 10)
  if (price >= 9_950_000) return `₹${short(price / 10_000_000)} Cr`
  if (price >= 99_500) return `₹${short(price / 100_000)} L`
  return price >= 1000 ? `₹${Math.round(price / 1000)}k` : `₹${Math.round(price)}`
}
