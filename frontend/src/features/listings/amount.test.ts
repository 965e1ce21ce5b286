import { expect, it } from 'vitest'
import { parseAmount } from './amount'

it.each([
  ['125000', 125_000],
  ['1,25,000', 125_000],
  ['₹ 1.25 Cr', 12_500_000],
  ['45 lakh', 4_500_000],
  ['45.5L', 4_550_000],
  ['80k', 80_000],
  ['', null],
  ['0', null],
  ['-5', null],
  ['1.2.3', null],
  ['12 apples', null],
])('%s is %s', (text, value) => expect(parseAmount(text)).toBe(value))
