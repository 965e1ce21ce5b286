const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, x-client-info, apikey, content-type',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
}

/** What a browser asks before it sends; null for anything else. */
export const preflight = (request: Request) =>
  request.method === 'OPTIONS' ? new Response(null, { status: 204, headers: CORS }) : null

export const json = (body: unknown, status = 200) => Response.json(body, { status, headers: CORS })

/** An answer that the client shows: `error` is a sentence for people. */
export const refuse = (status: number, error: string, more: object = {}) => json({ error, ...more }, status)

const MOST_BYTES = 64 * 1024

/** The object that a request carries; null when it is too large or none. */
export async function readObject(request: Request): Promise<Record<string, unknown> | null> {
  if (Number(request.headers.get('content-length') ?? 0) > MOST_BYTES) return null
  const text = await request.text()
  if (text.length > MOST_BYTES) return null
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

const bytes = (text: string) => new TextEncoder().encode(text)

/** Compares in a time that does not tell where two texts differ. */
async function isSame(one: string, other: string) {
  const digests = await Promise.all(
    [one, other].map(async (text) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes(text)))),
  )
  const [a, b] = digests
  if (!a || !b) return false
  let different = 0
  a.forEach((byte, index) => (different |= byte ^ (b[index] ?? 0)))
  return different === 0
}

/** Whether the caller has the service's own key: a trigger of the database, or its clock. */
export async function isService(request: Request, key: string) {
  const token = request.headers.get('authorization')?.replace(/^Bearer\s+/i, '') ?? ''
  return key !== '' && (await isSame(token, key))
}

/** The sender as a keyed hash of where the request came from: enough to count by, not to know who it was. */
export async function senderHash(request: Request, key: string) {
  const from = request.headers.get('x-real-ip') ?? request.headers.get('x-forwarded-for')?.split(',')[0] ?? ''
  const secret = await crypto.subtle.importKey('raw', bytes(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', secret, bytes(from.trim())))
  return [...signature].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
