import { expect, it } from 'vitest'
import { ENUMS } from './labels'

// The types are generated from the database, and checked against it.
it.each([
  ['property_type', 'office retail warehouse industrial mixed_use'],
  ['listing_intent', 'sale lease'],
  ['property_status', 'draft pending active rejected archived'],
  ['furnishing', 'unfurnished semi_furnished furnished plug_and_play'],
  ['building_grade', 'a_plus a b c'],
  ['possession', 'ready under_construction'],
  ['ownership', 'freehold leasehold co_operative power_of_attorney'],
  ['enquiry_status', 'new read responded closed spam'],
] as const)('%s is %s', (name, values) => expect(ENUMS[name].join(' ')).toBe(values))
