import { FIELD_LABELS } from '@/lib/fields'
import en from '@/i18n/listing/en.json'
import type { Tables } from '@/types/database'
import i18next from 'i18next'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { SUB_TYPES } from '../../labels'
import { STATES } from '../places'
import { check } from './check'
import { FIELD_NAMES, ruleOf, type Field } from './fields'
import { fromRow, needsReview, toRow } from './row'
import { STEP_NAMES } from './steps'
import { EMPTY, isAsked, isSame, readValues, type Values } from './values'

const sql = readFileSync(
  path.resolve(import.meta.dirname, '../../../../../../sql/marketplace/20260101000200_properties.sql'),
  'utf8',
)
beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }))
const t = i18next.t.bind(i18next)

const office: Values = {
  ...EMPTY,
  intent: 'lease',
  propertyType: 'office',
  subType: 'it_park',
  pincode: '641004',
  city: 'Coimbatore',
  state: 'Tamil Nadu',
  locality: 'Peelamedu',
  address: '12, Avinashi Road',
  carpetArea: '1,250',
  propertyTitle: 'Bright office in Peelamedu',
  propertyDescription: 'A bright office on the second floor, near the airport.',
  expectedPrice: '62,500',
}
const wrong = (changes: Partial<Values>, submit = true) => check({ ...office, ...changes }, t, { submit })

describe('the fields and the checks of the table (D47, R82)', () => {
  const numbers = FIELD_NAMES.filter((field) => ['number', 'amount'].includes(ruleOf(field).is.kind))
  it.each(numbers)('%s has the limits of its column', (field) => {
    const { column, is } = ruleOf(field)
    const between = new RegExp(`${column} between (-?\\d+) and (\\d+)`).exec(sql)
    const above = new RegExp(`${column} > 0`).test(sql)
    const from = new RegExp(`${column} >= 0`).test(sql)
    if (is.kind === 'amount') return expect(above).toBe(true)
    if (is.kind !== 'number') throw new Error('not a number')
    if (between) expect([is.from, is.to]).toEqual([Number(between[1]), Number(between[2])])
    else expect([is.above, is.from]).toEqual(above ? [0, undefined] : from ? [undefined, 0] : [])
  })
  const texts = FIELD_NAMES.filter((field) => ruleOf(field).is.kind === 'text')
  it.each(texts)('%s is as long as its column, or of its form', (field) => {
    const { column, is } = ruleOf(field)
    if (is.kind !== 'text') throw new Error('not a text')
    const most = new RegExp(`char_length\\(${column}\\) <= (\\d+)`).exec(sql)
    if (most) expect(is.most).toBe(Number(most[1]))
    const form = new RegExp(`${column} ~ '(\\^[^']+)'`).exec(sql)
    if (form) expect(is.pattern?.source.replaceAll('\\/', '/')).toBe(form[1])
    expect(Boolean(most ?? form)).toBe(true)
    const least = new RegExp(`char_length\\(${column}\\) >= (\\d+)`).exec(sql)
    expect(is.least).toBe(least ? Number(least[1]) : undefined)
  })
  it('knows the states and the kinds that the table knows', () => {
    for (const state of STATES) expect(sql).toContain(`'${state}'`)
    expect(STATES.length).toBe(36)
    for (const [type, kinds] of Object.entries(SUB_TYPES))
      expect(sql).toContain(
        `property_type = '${type}' and sub_type in (${Object.keys(kinds)
          .map((kind) => `'${kind}'`)
          .join(', ')})`,
      )
  })
  it('asks for what a submitted listing must have', () => {
    const needed = FIELD_NAMES.filter((field) => ruleOf(field).needed).map((field) => ruleOf(field).column)
    const must = ['title', 'description', 'address', 'locality', 'city', 'state', 'pincode']
    expect(needed.sort()).toEqual(['intent', 'property_type', ...must].sort())
  })
  it('calls the fields of the product by their names (R82, R84)', () => {
    const names = Object.entries(FIELD_LABELS).slice(0, 16)
    for (const [field, label] of names) {
      expect(FIELD_NAMES).toContain(field)
      expect(ruleOf(field as Field).label, field).toBe(label)
      expect(Object.keys(en)).toContain(label)
    }
  })
  it('has a column once, and a step for every field', () => {
    const columns = FIELD_NAMES.map((field) => ruleOf(field).column)
    expect(new Set(columns).size).toBe(columns.length)
    expect(FIELD_NAMES.every((field) => STEP_NAMES.includes(ruleOf(field).step))).toBe(true)
  })
})

describe('checking', () => {
  it('finds nothing wrong with a simple office', () => expect(wrong({})).toEqual({}))
  it.each([
    [{ expectedPrice: '1.25 Cr' }, []],
    [{ expectedPrice: '80k' }, []],
    [{ expectedPrice: 'cheap' }, ['expectedPrice']],
    [{ expectedPrice: '' }, []],
    [{ carpetArea: '' }, ['carpetArea']],
    [{ carpetArea: '', builtUpArea: '1500' }, []],
    [{ builtUpArea: '1000' }, ['builtUpArea']],
    [{ floorNumber: '7', totalFloors: '5' }, ['floorNumber']],
    [{ floorNumber: '-6' }, ['floorNumber']],
    [{ floorNumber: '1.5' }, ['floorNumber']],
    [{ pincode: '041004' }, ['pincode']],
    [{ propertyTitle: 'Office' }, ['propertyTitle']],
    [{ propertyTitle: 'x'.repeat(121) }, ['propertyTitle']],
    [{ propertyDescription: 'Too short.' }, ['propertyDescription']],
    [{ reraNumber: 'TN/29 Building' }, ['reraNumber']],
    [{ reraUrl: 'javascript:alert(1)' }, ['reraUrl']],
    [{ lat: '11.02' }, ['lng']],
    [{ lat: '51.5', lng: '77' }, ['lat']],
    [{ state: 'Kent' }, ['state']],
    [{ subType: 'godown' }, ['subType']],
    [{ escalation: '31' }, ['escalation']],
    [{ propertyType: '' }, ['propertyType', 'subType']],
    // What is not asked is not wrong.
    [{ dockDoors: 'many' }, []],
  ])('%j', (changes, fields) => {
    expect(Object.keys(wrong(changes as Partial<Values>)).sort()).toEqual([...fields].sort())
  })
  it('lets a draft lack nearly everything', () => {
    expect(check({ ...EMPTY, intent: 'sale', propertyType: 'retail' }, t)).toEqual({})
    expect(Object.keys(check(EMPTY, t))).toEqual(['intent', 'propertyType'])
  })
})

describe('rows', () => {
  it('stores what is right and leaves out what is not', () => {
    const row = toRow(
      { ...office, builtUpArea: '10', seats: '1,200', powerBackup: 'no', amenities: 'cctv,gym' },
      t,
    )
    expect(row).toMatchObject({
      title: office.propertyTitle,
      carpet_area: 1250,
      built_up_area: null,
      price: 62_500,
      seats: 1200,
      power_backup: false,
      fire_noc: null,
      amenities: { cctv: true, gym: true },
      pincode: '641004',
    })
  })
  it('shows a row as it was typed', () => {
    const row = toRow({ ...office, carpetArea: '1250', expectedPrice: '62500' }, t)
    const back = fromRow({ ...row } as unknown as Tables<'properties'>)
    expect(isSame(back, { ...office, carpetArea: '1250', expectedPrice: '62500' })).toBe(true)
  })
  it('takes zipcode for the PIN code (D17), and nothing that it does not know', () => {
    expect(readValues({ zipcode: '635109', owner_id: 'x', city: 5 })).toEqual({ ...EMPTY, pincode: '635109' })
    expect(readValues('nothing')).toEqual(EMPTY)
  })
})

it('asks by type and intent', () => {
  const asked = (field: Field, changes: Partial<Values>) => isAsked(field, { ...office, ...changes })
  expect(asked('seats', {})).toBe(true)
  expect(asked('dockDoors', {})).toBe(false)
  expect(asked('dockDoors', { propertyType: 'warehouse' })).toBe(true)
  expect(asked('lockIn', { intent: 'sale' })).toBe(false)
  expect(asked('currentRent', { intent: 'sale' })).toBe(false)
  expect(asked('currentRent', { intent: 'sale', occupied: 'yes' })).toBe(true)
})

it('knows which changes of a public listing are looked at again (D19)', () => {
  const after = (changes: Partial<Values>) => needsReview(office, { ...office, ...changes })
  expect(after({})).toBe(false)
  expect(after({ propertyDescription: 'Another description of the same office.' })).toBe(false)
  expect(after({ expectedPrice: '75,000' })).toBe(false)
  expect(after({ expectedPrice: '79,000' })).toBe(true)
  expect(after({ expectedPrice: '' })).toBe(true)
  expect(after({ locality: 'Gandhipuram' })).toBe(true)
  expect(after({ propertyTitle: 'Another title of this office' })).toBe(true)
})
