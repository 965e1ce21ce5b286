const KEY = 'nilam-guest-shortlist'
const MOST = 100
const listeners = new Set<() => void>()

function read(): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string').slice(0, MOST) : []
  } catch {
    return []
  }
}

let ids: readonly string[] | undefined
/** What a visitor without an account keeps, in this browser only. */
export const guestShortlist = () => (ids ??= read())

export function setGuestShortlist(next: readonly string[]) {
  ids = next.slice(-MOST)
  if (ids.length) localStorage.setItem(KEY, JSON.stringify(ids))
  else localStorage.removeItem(KEY)
  listeners.forEach((listener) => listener())
}

export function onGuestShortlist(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
