/** One question that the first view of an address will ask, written down when the application was built. */
export type Plan = {
  /** The addresses, as a regular expression whose group is the slug. */
  address: string
  method: string
  /** From the root of the services on, with `SLUG` for the slug. */
  path: string
  /** With `KEY` for the public key. */
  headers: Record<string, string>
  body: string
  /** Whose picture is the first that is seen. */
  picture?: 'space' | 'cover' | 'gallery'
}

export type Early = {
  /** The answer with the settings of the serving host. */
  config?: Promise<unknown>
  /** The answer to the page's first question, for whoever asks the same. */
  answer?: {
    method: string
    url: string
    body: string
    authorization: string
    /** When it was asked for, as `Date.now()` says it. */
    at: number
    response: Promise<Response>
  }
  /** Lets through again what is done to the page, after doing what was done meanwhile: to all of it, or to what is around its content. */
  replay: (part?: 'around') => void
}

declare global {
  var nilamEarly: Early | undefined
}

/** The id of what the page itself shows; the header and the footer are around it. */
export const CONTENT = 'content'

/** What stands in a plan for what only a visit knows. */
export const SLUG = 'slug-of-the-page'
export const KEY = 'key-of-the-host'
export const HOST = 'https://host.invalid'
