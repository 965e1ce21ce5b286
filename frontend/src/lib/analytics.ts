declare global {
  interface Window {
    dataLayer?: unknown[]
  }
}

export type Metric = 'LCP' | 'FID' | 'CLS' | 'FCP' | 'TTFB'
export type Rating = 'good' | 'needs-improvement' | 'poor'

/** Up to the first is good, above the second poor; milliseconds, but for the shift of the layout. */
const LIMITS: Readonly<Record<Metric, readonly [number, number]>> = {
  LCP: [2500, 4000],
  FID: [100, 300],
  CLS: [0.1, 0.25],
  FCP: [1800, 3000],
  TTFB: [800, 1800],
}

export function rate(metric: Metric, value: number): Rating {
  const [good, poor] = LIMITS[metric]
  return value <= good ? 'good' : value > poor ? 'poor' : 'needs-improvement'
}

const push = (...events: unknown[]) => (window.dataLayer ??= []).push(...events)

export const pageView = (path: string) => push({ event: 'page_view', page_path: path })

const vital = (name: Metric, value: number) =>
  push({ event: 'web_vital', name, value, rating: rate(name, value), timestamp: Date.now() })

function observe(type: string, seen: (entry: PerformanceEntry) => void) {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return
  new PerformanceObserver((list) => list.getEntries().forEach(seen)).observe({ type, buffered: true })
}

/** Watches the page's vitals. Two of them are only known when it is left. */
export function watchVitals() {
  let largest = 0
  let shift = 0
  observe('largest-contentful-paint', ({ startTime }) => (largest = startTime))
  observe('layout-shift', (entry) => {
    if ('value' in entry && !('hadRecentInput' in entry && entry.hadRecentInput)) shift += Number(entry.value)
  })
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') vital('FCP', startTime)
  })
  observe('first-input', (entry) => {
    if ('processingStart' in entry) vital('FID', Number(entry.processingStart) - entry.startTime)
  })
  observe('navigation', (entry) => {
    if ('responseStart' in entry) vital('TTFB', Number(entry.responseStart))
  })
  let told = false
  document.addEventListener('visibilitychange', () => {
    if (told || document.visibilityState !== 'hidden') return
    told = true
    if (largest) vital('LCP', largest)
    vital('CLS', shift)
  })
}

/** Loads the tag manager of this id, with consent denied until somebody gives it; no id, no request. */
export function loadTagManager(id: string) {
  if (!id) return
  const denied = {
    ad_storage: 'denied',
    ad_user_data: 'denied',
    ad_personalization: 'denied',
    analytics_storage: 'denied',
  }
  // The tag manager tells commands from events by their being an `arguments` object.
  const command: (...words: unknown[]) => void = function () {
    // eslint-disable-next-line prefer-rest-params
    push(arguments)
  }
  command('consent', 'default', denied)
  push({ event: 'gtm.js', 'gtm.start': Date.now() })
  const script = document.createElement('script')
  script.async = true
  script.src = `https://www.googletagmanager.com/gtm.js?id=${encodeURIComponent(id)}`
  document.head.append(script)
}
