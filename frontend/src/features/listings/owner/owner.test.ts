import { describe, expect, it } from 'vitest'
import { NONE } from '../filters'
import { fromQuery, toQuery } from '../saved/api'
import { actionsOf, isExpired, MOVES } from './actions'
import { perDay } from './per-day'

const listing = (
  status: 'draft' | 'pending' | 'active' | 'rejected' | 'archived',
  until: string | null = null,
) => ({
  status,
  expires_at: until,
})
const NOW = Date.parse('2026-06-15T12:00:00Z')

describe('what an owner can do (D19, D52)', () => {
  it.each([
    ['draft', ['edit', 'duplicate', 'delete']],
    ['pending', ['view', 'edit', 'withdraw', 'duplicate']],
    ['active', ['view', 'edit', 'archive', 'duplicate']],
    ['rejected', ['edit', 'duplicate']],
    ['archived', ['edit', 'publish', 'duplicate']],
  ] as const)('with a listing that is %s', (status, actions) =>
    expect(actionsOf(listing(status), NOW)).toEqual(actions),
  )
  it('with one whose time is over', () => {
    const over = listing('active', '2026-06-15T11:59:59Z')
    expect(isExpired(over, NOW)).toBe(true)
    expect(actionsOf(over, NOW)[0]).toBe('renew')
    expect(isExpired(listing('active', '2026-06-15T12:00:01Z'), NOW)).toBe(false)
    expect(isExpired(listing('draft', '2020-01-01T00:00:00Z'), NOW)).toBe(false)
  })
  it('moves only along the ways of the database', () => {
    const allowed = ['pending>draft', 'active>archived', 'archived>pending']
    const taken = Object.entries({
      withdraw: 'pending',
      archive: 'active',
      publish: 'archived',
      renew: 'active',
    })
    for (const [action, start] of taken) {
      let from = start
      for (const to of MOVES[action as keyof typeof MOVES] ?? []) {
        expect(allowed).toContain(`${from}>${to}`)
        from = to
      }
    }
  })
})

it('counts by the days of India', () => {
  const days = perDay(
    ['2026-06-15T05:00:00Z', '2026-06-14T18:29:59Z', '2026-06-14T18:30:00Z', '2020-01-01T00:00:00Z'],
    3,
    NOW,
  )
  expect(days.map(({ count }) => count)).toEqual([0, 1, 2])
  expect(days.map(({ at }) => at.slice(0, 10))).toEqual(['2026-06-13', '2026-06-14', '2026-06-15'])
})

it('keeps a search as its address, from the first page on', () => {
  const filters = { ...NONE, city: 'Hosur', type: ['office' as const], min: 5000, page: 4 }
  expect(toQuery(filters)).toEqual({ params: 'type=office&city=Hosur&min=5000' })
  expect(fromQuery(toQuery(filters))).toEqual({ ...filters, page: 1 })
  expect(fromQuery({ city: 'Hosur' })).toEqual(NONE)
  expect(fromQuery(null)).toEqual(NONE)
})
