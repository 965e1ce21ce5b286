import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { EMPTY, errorsOf, LENGTHS, slugOf, valuesOf } from './space-fields'

const sql = readFileSync(
  path.resolve(import.meta.dirname, '../../../../sql/marketplace/20260101000100_coworking.sql'),
  'utf8',
)
const start = sql.indexOf('create table public.coworking_space (')
const table = sql.slice(start, sql.indexOf('\n);', start))
const GOOD = {
  ...EMPTY,
  name: 'Peelamedu Desks',
  slug: 'peelamedu-desks',
  address: '4, Avinashi Road',
  locality: 'Peelamedu',
  city: 'Coimbatore',
}

it.each(Object.entries(LENGTHS))('%s may be as long as the table says: %d', (name, most) => {
  const line = sql.split('\n').find((each) => each.startsWith(`    ${name} text`))
  expect(line).toMatch(new RegExp(`<= ${most}\\b|between \\d+ and ${most}\\b`))
})

it('asks for what the table asks for', () => {
  expect(table).toContain('slug text not null')
  expect(errorsOf(EMPTY)).toEqual({
    name: 'required',
    slug: 'required',
    address: 'required',
    locality: 'required',
    city: 'required',
  })
  expect(errorsOf(GOOD)).toEqual({})
})

it.each([
  ['slug', 'Not A Slug'],
  ['website_url', 'javascript:alert(1)'],
  ['booking_email', 'nobody'],
  ['booking_phone', '12345'],
  ['min_price', 'a lot'],
  ['max_price', '0'],
])('refuses %s: %s', (name, value) => {
  expect(errorsOf({ ...GOOD, [name]: value })).toEqual({ [name]: 'invalid' })
})

it('refuses an upper price below the lower one, and half a point', () => {
  expect(errorsOf({ ...GOOD, min_price: '9,000', max_price: '8,999' })).toEqual({ max_price: 'invalid' })
  expect(errorsOf({ ...GOOD, lat: '11.02' })).toEqual({ lng: 'invalid' })
})

it('writes rows: figures, one shape of coordinates, the days that are open', () => {
  const { space, offerings } = valuesOf({
    ...GOOD,
    min_price: '1,25,000',
    booking_phone: '98765 43210',
    lat: '11.02',
    lng: '76.99',
    amenities: ['wifi'],
    hours: { ...EMPTY.hours, monday: '9:00 AM - 6:00 PM' },
    offerings: {
      ...EMPTY.offerings,
      day_pass: { offered: true, available: false, price: '450', capacity: '' },
    },
  })
  expect(space).toMatchObject({
    min_price: 125_000,
    max_price: null,
    booking_phone: '+919876543210',
    coordinates: { lat: 11.02, lng: 76.99 },
    amenities: { wifi: true },
    opening_hours: { monday: '9:00 AM - 6:00 PM' },
  })
  expect(offerings).toEqual([
    { offering_type: 'day_pass', available: false, price_from: 450, capacity: null },
  ])
})

it('makes an address of a name', () => {
  expect(slugOf('Desk & Co.', 'R.S. Puram')).toBe('desk-co-r-s-puram')
})
