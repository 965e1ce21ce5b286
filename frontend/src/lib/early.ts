import type { Early } from '@/early/state'

/** What the first script of the page began before this code was there; none where that script is not, as in development. */
const early = (): Early | undefined => globalThis.nilamEarly

/** An answer that was asked for longer ago than this, in milliseconds, may be wrong by now: the page was left in its middle, or its code was slow. */
const GOOD_FOR = 30_000

/** Whether the page that was made ahead (`/property/_` for all of its kind) is the one of this address. */
export function madeFor(page: string | undefined, pathname: string) {
  // `/_` is nobody's own.
  if (!page || page === '/_') return false
  const address = pathname.replace(/(.)\/$/, '$1')
  if (!page.endsWith('/_')) return page === address
  const folder = page.slice(0, -1)
  return address.startsWith(folder) && /^[^/]+$/.test(address.slice(folder.length))
}

/** The settings, if they were asked for already. */
export const earlyConfig = () => early()?.config

const header = (headers: HeadersInit | undefined, name: string) => new Headers(headers).get(name) ?? ''

/** Rejects as soon as nobody waits any more, like `fetch` itself. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined) {
  if (!signal) return work
  signal.throwIfAborted()
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      const abort = () => reject(signal.reason as Error)
      signal.addEventListener('abort', abort, { once: true })
    }),
  ])
}

/**
 * The `fetch` of the client library. An answer that is under way since the page began is used, once, by whoever asks the same in the same
 * name; everything else is asked for as ever.
 */
export const fetchOrEarly: typeof fetch = async (input, init) => {
  const begun = early()?.answer
  const same =
    begun !== undefined &&
    Date.now() - begun.at < GOOD_FOR &&
    begun.url === String(input) &&
    begun.method === (init?.method ?? 'GET') &&
    begun.body === (typeof init?.body === 'string' ? init.body : '') &&
    begun.authorization === header(init?.headers, 'authorization')
  if (!same) return fetch(input, init)
  early()!.answer = undefined
  try {
    return await unlessAborted(begun.response, init?.signal)
  } catch (error) {
    // A connection that broke then may hold now.
    if (init?.signal?.aborted) throw error
    return fetch(input, init)
  }
}

/** Ends the keeping of what is done to a page that does not answer yet, and does it again. */
export function replay() {
  early()?.replay()
}

/** The same for what is around the page, which may answer long before it. */
export function replayAround() {
  early()?.replay('around')
}
