/**
 * Hides what was made for another visit: in another language than the chosen one. The application shows the page as soon as it has
 * rendered it, and the style sheet does if it never comes.
 */
export function markStale() {
  const asked = new URLSearchParams(location.search).get('lang') ?? localStorage.getItem('nilam-language')
  if (asked === 'hi' || asked === 'ta') document.documentElement.dataset.stale = ''
}
