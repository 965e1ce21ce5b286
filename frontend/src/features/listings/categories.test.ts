import { expect, it } from 'vitest'
import { categoryPath, parseCategory } from './categories'

it.each([
  ['office-spaces', { type: 'office', city: '' }],
  ['mixed-use-properties-in-chennai', { type: 'mixed_use', city: 'chennai' }],
  ['warehouses-in-navi-mumbai', { type: 'warehouse', city: 'navi-mumbai' }],
  ['office-space-near-tidel-park', null],
  ['warehouses-of-chennai', null],
])('%s is read', (slug, found) => expect(parseCategory(slug)).toEqual(found))

it('writes what it reads', () => {
  expect(categoryPath('retail')).toBe('/commercial/retail-spaces')
  expect(parseCategory(categoryPath('industrial', 'Navi Mumbai').slice('/commercial/'.length))).toEqual({
    type: 'industrial',
    city: 'navi-mumbai',
  })
})
