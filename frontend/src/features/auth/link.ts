/** What the link of a mail said, read before the client library uses the fragment up. */
const { hash, search } = typeof window === 'undefined' ? { hash: '', search: '' } : window.location
const fragment = new URLSearchParams(hash.slice(1))
const query = new URLSearchParams(search)

export const linkError = fragment.get('error_description') ?? query.get('error_description') ?? ''
export const linkType = fragment.get('type') ?? query.get('type') ?? ''
