import { expect, it } from 'vitest'
import { addressOf } from './home-search'

it.each([
  ['lease', {}, '/commercial?for=lease'],
  ['sale', { q: 'corner shop' }, '/commercial?q=corner+shop&for=sale'],
  [
    'lease',
    { q: '', city: 'Chennai', locality: 'Guindy' },
    '/commercial?for=lease&city=Chennai&locality=Guindy',
  ],
  ['coworking', {}, '/coworking'],
  ['coworking', { city: 'Chennai', locality: 'Guindy' }, '/coworking?q=Guindy&city=Chennai'],
] as const)('%s with %j leads to %s', (kind, wanted, address) =>
  expect(addressOf(kind, wanted)).toBe(address),
)
