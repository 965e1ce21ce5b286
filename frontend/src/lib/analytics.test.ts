import { expect, it, vi } from 'vitest'
import { loadTagManager, rate, type Metric } from './analytics'

it.each<[Metric, number, number]>([
  ['LCP', 2500, 4000],
  ['FID', 100, 300],
  ['CLS', 0.1, 0.25],
  ['FCP', 1800, 3000],
  ['TTFB', 800, 1800],
])('rates %s', (metric, good, poor) => {
  expect(rate(metric, good)).toBe('good')
  expect(rate(metric, good * 1.01)).toBe('needs-improvement')
  expect(rate(metric, poor)).toBe('needs-improvement')
  expect(rate(metric, poor * 1.01)).toBe('poor')
})

it('loads a tag manager only by its id, and with consent denied', () => {
  const script = { async: false, src: '' }
  const append = vi.fn()
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', { createElement: () => script, head: { append } })
  loadTagManager('')
  expect(append).not.toHaveBeenCalled()
  loadTagManager('GTM-A B')
  expect(append).toHaveBeenCalledWith(script)
  expect(script.src).toBe('https://www.googletagmanager.com/gtm.js?id=GTM-A%20B')
  const [consent] = window.dataLayer ?? []
  expect([...(consent as ArrayLike<unknown> as unknown[])].slice(0, 2)).toEqual(['consent', 'default'])
  const denied = (consent as ArrayLike<Record<string, string>>)[2] ?? {}
  expect(new Set(Object.values(denied))).toEqual(new Set(['denied']))
  vi.unstubAllGlobals()
})
