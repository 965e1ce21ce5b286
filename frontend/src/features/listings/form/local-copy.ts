import { readValues, type Values } from './schema/values'

/** A listing that the service does not know yet. */
export const NEW = 'new'
export type Copy = { values: Values; at: number }
const keyOf = (user: string, id: string) => `nilam-listing-${user}-${id}`

/** What was typed and may not have reached the account: it outlives a reload and a lost connection. */
export function readCopy(user: string, id: string): Copy | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(user, id)) ?? 'null')
    if (typeof found !== 'object' || found === null || !('values' in found) || !('at' in found)) return null
    return { values: readValues(found.values), at: Number(found.at) || 0 }
  } catch {
    return null
  }
}

export function keepCopy(user: string, id: string, values: Values) {
  try {
    localStorage.setItem(keyOf(user, id), JSON.stringify({ values, at: Date.now() }))
  } catch {
    // No room: what is typed still goes to the account.
  }
}

export const dropCopy = (user: string, id: string) => localStorage.removeItem(keyOf(user, id))
