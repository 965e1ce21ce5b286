import { expect, it } from 'vitest'
import { waited } from './waiting'

const now = Date.parse('2026-03-10T12:00:00Z')

it.each([
  ['2026-03-10T11:30:00Z', 'hours', 0, false],
  ['2026-03-09T13:00:00Z', 'hours', 23, false],
  ['2026-03-09T12:00:00Z', 'days', 1, false],
  ['2026-03-08T12:00:00Z', 'days', 2, true],
  ['2026-03-11T12:00:00Z', 'hours', 0, false],
] as const)('since %s it has waited %s %d', (since, unit, count, late) => {
  expect(waited(since, now)).toEqual({ unit, count, late })
})
