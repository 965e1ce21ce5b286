import { expect, it } from 'vitest'
import { rate, type Metric } from './analytics'

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
