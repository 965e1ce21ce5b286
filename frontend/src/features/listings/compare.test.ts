import { describe, expect, it } from 'vitest'
import { bestOf, compareAddress, readIds } from './compare'

const id = (digit: number) => `0000000${digit}-0000-5000-8000-000000000000`

describe('the address of a comparison', () => {
  it('takes known ids, each once, and three at most', () => {
    expect(readIds([id(1), 'nonsense', id(1), id(2), id(3), id(4)].join(','))).toEqual([id(1), id(2), id(3)])
    expect(readIds(null)).toEqual([])
    expect(readIds("1');drop")).toEqual([])
  })
  it('comes back as it was', () => {
    expect(compareAddress([id(1), id(2)])).toBe(`/compare?ids=${id(1)},${id(2)}`)
    expect(compareAddress([])).toBe('/compare')
  })
})

it.each([
  [[300, 100, 200], 'cmLowest', [1]],
  [[300, 100, 200], 'cmLargest', [0]],
  [[100, null, 100], 'cmLowest', []],
  [[100, null, null], 'cmLowest', []],
  [[100, 200, 100], 'cmLowest', [0, 2]],
] as const)('of %j the best by %s are %j', (figures, word, best) => {
  expect(bestOf(figures, word)).toEqual(best)
})
