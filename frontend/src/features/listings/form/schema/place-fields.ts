import { INTENTS, TYPES } from '../../labels'
import { STATES } from '../places'
import type { Rule } from './rule'

/** What it is. */
export const KIND_FIELDS = {
  intent: {
    column: 'intent',
    step: 'kind',
    label: 'lfIntent',
    needed: 'draft',
    is: { kind: 'choice', words: INTENTS },
  },
  propertyType: {
    column: 'property_type',
    step: 'kind',
    label: 'fcType',
    needed: 'draft',
    is: { kind: 'choice', words: TYPES },
  },
  // Which ones are on offer depends on the type.
  subType: { column: 'sub_type', step: 'kind', label: 'fcSubType', is: { kind: 'choice', words: {} } },
} as const satisfies Record<string, Rule>

/** Where it is. */
export const PLACE_FIELDS = {
  pincode: {
    column: 'pincode',
    step: 'place',
    label: 'lfPincode',
    hint: 'lfPincodeHint',
    needed: 'submit',
    is: { kind: 'text', most: 6, pattern: /^[1-9][0-9]{5}$/ },
  },
  city: { column: 'city', step: 'place', label: 'lfCity', needed: 'submit', is: { kind: 'text', most: 100 } },
  state: {
    column: 'state',
    step: 'place',
    label: 'lfState',
    needed: 'submit',
    is: { kind: 'choice', words: Object.fromEntries(STATES.map((name) => [name, name])) },
  },
  locality: {
    column: 'locality',
    step: 'place',
    label: 'lfLocality',
    hint: 'lfLocalityHint',
    needed: 'submit',
    is: { kind: 'text', most: 100 },
  },
  subLocality: {
    column: 'sub_locality',
    step: 'place',
    label: 'lfSubLocality',
    is: { kind: 'text', most: 100 },
  },
  address: {
    column: 'address',
    step: 'place',
    label: 'lfAddress',
    needed: 'submit',
    is: { kind: 'text', most: 300, lines: 2 },
  },
  lat: { column: 'lat', step: 'place', label: 'lfLat', is: { kind: 'number', from: 6, to: 38 } },
  lng: { column: 'lng', step: 'place', label: 'lfLng', is: { kind: 'number', from: 68, to: 98 } },
  locationPrecision: {
    column: 'location_precision',
    step: 'place',
    label: 'lfPrecision',
    open: true,
    is: { kind: 'choice', words: { exact: 'lfExact', locality: 'lfOnlyLocality' } },
  },
} as const satisfies Record<string, Rule>
