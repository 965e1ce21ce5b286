import { imageAt, imageSet, webLink } from '@/lib/images'
import { describe, expect, it } from 'vitest'
import {
  capacityKey,
  cardPrice,
  detailPrice,
  hoursOf,
  lowestPrice,
  parseCoordinates,
  priceRange,
} from './format'

describe('prices', () => {
  it.each([
    [9500, '₹9,500'],
    [12_000, '₹12k'],
    [12_500, '₹12.5k'],
  ])('card %d reads %s', (value, text) => expect(cardPrice(value)).toBe(text))
  it.each([
    [999, '₹999'],
    [1500, '₹1.5k'],
    [125_000, '₹1.25 Lakh'],
  ])('detail %d reads %s', (value, text) => expect(detailPrice(value)).toBe(text))
  it('shows a range only when the upper end is higher', () => {
    expect(priceRange(500, 500, cardPrice)).toBeNull()
    expect(priceRange(500, 12_000, cardPrice)).toBe('₹500 - ₹12k')
    expect(priceRange(null, 12_000, cardPrice)).toBeNull()
  })
  it('takes the lowest price that is set', () => {
    expect(lowestPrice([{ price_from: null }, { price_from: 700 }, { price_from: 300 }])).toBe(300)
    expect(lowestPrice([])).toBeNull()
  })
})

describe('space facts', () => {
  it('reads coordinates in each stored shape', () => {
    const point = { lat: 12.9, lng: 77.6 }
    expect(parseCoordinates(point)).toEqual(point)
    expect(parseCoordinates({ latitude: 12.9, longitude: 77.6 })).toEqual(point)
    expect(parseCoordinates(JSON.stringify(point))).toEqual(point)
    expect(parseCoordinates('nowhere')).toBeNull()
  })
  it('has no hours on days that are empty or unset', () => {
    expect(hoursOf({ monday: '' }, 'monday')).toBeNull()
    expect(hoursOf(null, 'sunday')).toBeNull()
  })
  it('counts people for rooms and seats otherwise', () => {
    expect(capacityKey('meeting_room')).toBe('cwPeople')
    expect(capacityKey('day_pass')).toBe('cwSeats')
  })
  it('asks storage for the width and refuses script links', () => {
    const stored = '/storage/v1/object/public/coworking-images/demo/scene-01.webp'
    const rendered = '/storage/v1/render/image/public/coworking-images/demo/scene-01.webp'
    expect(imageAt(stored, 320)).toBe(`${rendered}?width=320&quality=75`)
    expect(imageSet(`https://x.example${stored}`)).toContain(
      `https://x.example${rendered}?width=480&quality=75 480w`,
    )
    expect(imageAt('https://elsewhere.example/a.jpg', 320)).toBe('https://elsewhere.example/a.jpg')
    expect(imageSet('/logo.svg')).toBeUndefined()
    expect(webLink('javascript:alert(1)')).toBeNull()
  })
})
