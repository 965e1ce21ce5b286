const KEY = 'nilam-guest-views'
const MOST = 100

/** What a visitor without an account looked at, in this browser only, the latest last. */
export function guestViews(): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string').slice(-MOST) : []
  } catch {
    return []
  }
}

export function setGuestViews(ids: readonly string[]) {
  if (ids.length) localStorage.setItem(KEY, JSON.stringify(ids.slice(-MOST)))
  else localStorage.removeItem(KEY)
}

export const keepGuestView = (id: string) =>
  setGuestViews([...guestViews().filter((other) => other !== id), id])
