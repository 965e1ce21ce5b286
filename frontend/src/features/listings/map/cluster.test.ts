import { describe, expect, it } from 'vitest'
import { clusterPins, labelsOf, pinPrice, readBox, writeBox, type Pin } from './cluster'

const pin = (id: string, lat: number, lng: number, locality = 'Peelamedu'): Pin => ({
  id,
  slug: id,
  title: id,
  price: 1,
  intent: 'lease',
  locality,
  city: 'Coimbatore',
  lat,
  lng,
})
const project = (lat: number, lng: number) => ({ x: lng * 100, y: lat * 100 })

describe('clusters', () => {
  it('gathers pins of one cell and leaves the others alone', () => {
    const found = clusterPins([pin('a', 0.1, 0.1), pin('b', 0.2, 0.3), pin('c', 5, 5)], project)
    expect(found.map(({ pins }) => pins.map(({ id }) => id))).toEqual([['a', 'b'], ['c']])
    expect(found[0]).toMatchObject({ lat: (0.1 + 0.2) / 2, lng: 0.2 })
    expect(found[1]?.key).toBe('c')
  })
  it('lose no pin, however many', () => {
    const pins = Array.from({ length: 300 }, (_, index) => pin(String(index), index % 17, index % 13))
    expect(clusterPins(pins, project).flatMap(({ pins: own }) => own)).toHaveLength(300)
  })
})

it('names a cluster for the place that most of it is in, and each place once', () => {
  const of = (...pins: Pin[]) => ({ key: 'x', lat: pins[0]?.lat ?? 0, lng: 0, pins })
  const clusters = [
    of(pin('a', 1, 0), pin('b', 1, 0), pin('c', 1, 0, 'Saibaba Colony')),
    of(pin('d', 9, 0)),
    of(pin('e', 5, 0, 'Race Course')),
  ]
  expect(labelsOf(clusters, 'locality')).toEqual([
    { name: 'Peelamedu', lat: 1, lng: 0 },
    { name: 'Race Course', lat: 5, lng: 0 },
  ])
  expect(labelsOf(clusters, 'city')).toEqual([{ name: 'Coimbatore', lat: 1, lng: 0 }])
})

it('writes a box as it reads it, and reads no nonsense', () => {
  expect(readBox(writeBox([76.9, 10.9, 77.1, 11.1]))).toEqual([76.9, 10.9, 77.1, 11.1])
  expect(readBox('')).toBeNull()
  expect(readBox('77,11,76,12')).toBeNull()
  expect(readBox('1,2,3')).toBeNull()
})

it.each([
  [null, '₹?'],
  [450, '₹450'],
  [24_500, '₹25k'],
  [99_400, '₹99k'],
  [99_600, '₹1 L'],
  [1_234_000, '₹12.3 L'],
  [9_960_000, '₹1 Cr'],
  [53_700_000, '₹5.4 Cr'],
])('fits %d on a pin as %s', (price, text) => {
  expect(pinPrice(price)).toBe(text)
})
