import { NARROWING } from '@/features/listings/filters'

/**
 * Keeps a line free for what narrows a list: what was made ahead knows of no address, and the names of the filters are there with the
 * application only.
 */
export function keepRoom() {
  const asked = new URLSearchParams(location.search)
  if (NARROWING.some((name) => asked.get(name))) document.documentElement.dataset.narrowed = ''
}
