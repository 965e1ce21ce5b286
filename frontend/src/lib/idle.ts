const AT_LATEST = 4000

/** Does what nobody waits for, once the page is there and has nothing better to do. */
export function afterwards(work: () => void) {
  const idle = () => {
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: AT_LATEST })
    else setTimeout(work, 200)
  }
  if (document.readyState === 'complete') idle()
  else window.addEventListener('load', idle, { once: true })
}
