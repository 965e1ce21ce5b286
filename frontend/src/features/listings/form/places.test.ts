import { describe, expect, it } from 'vitest'
import { parsePoint, placeOf } from './places'

describe('PIN codes (D44)', () => {
  it.each([
    ['641004', 'Coimbatore', 'Tamil Nadu'],
    ['641601', 'Tiruppur', 'Tamil Nadu'],
    ['635109', 'Hosur', 'Tamil Nadu'],
    ['635001', 'Krishnagiri', 'Tamil Nadu'],
    ['605001', 'Puducherry', 'Puducherry'],
    ['605602', 'Villupuram', 'Tamil Nadu'],
    ['560001', 'Bengaluru', 'Karnataka'],
    ['403001', 'Panaji', 'Goa'],
    ['400701', 'Navi Mumbai', 'Maharashtra'],
    ['201301', 'Noida', 'Uttar Pradesh'],
    ['248001', 'Dehradun', 'Uttarakhand'],
    ['737101', 'Gangtok', 'Sikkim'],
    ['110001', 'Delhi', 'Delhi'],
  ])('%s is %s, %s', (pincode, city, state) => expect(placeOf(pincode)).toEqual({ city, state }))
  it.each(['', '64100', '041004', 'abcdef', '900000'])('%j says nothing', (text) =>
    expect(placeOf(text)).toBeNull(),
  )
  it('knows the state where it does not know the city', () =>
    expect(placeOf('783301')).toEqual({ city: '', state: 'Assam' }))
})

describe('pins', () => {
  it.each([
    ['11.0168, 76.9558', 11.0168, 76.9558],
    ['11.0168 76.9558', 11.0168, 76.9558],
    ['https://maps.google.com/?q=11.0168,76.9558', 11.0168, 76.9558],
    ['https://www.google.com/maps/@11.0168,76.9558,15z', 11.0168, 76.9558],
    ['https://www.google.com/maps/place/X/@11.1,76.1,15z/data=!3m1!3d11.0168!4d76.9558', 11.0168, 76.9558],
    ['https://maps.apple.com/?ll=11.0168%2C76.9558', 11.0168, 76.9558],
  ])('%s', (text, lat, lng) => expect(parsePoint(text)).toEqual({ lat, lng }))
  it.each(['', 'Peelamedu', '51.5072, -0.1276', '11.0168', 'https://maps.app.goo.gl/abc', '%E0%A4%A'])(
    '%j is none',
    (text) => expect(parsePoint(text)).toBeNull(),
  )
})
