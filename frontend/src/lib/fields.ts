import i18next from 'i18next'

/** What people call the fields of our forms, as keys of the catalogues; messages name a field by this. Those of a property come with its form. */
export const FIELD_LABELS = {
  propertyTitle: 'lfTitle',
  propertyDescription: 'lfDescription',
  expectedPrice: 'lfPrice',
  carpetArea: 'lfCarpetArea',
  builtUpArea: 'lfBuiltUpArea',
  totalFloors: 'lfTotalFloors',
  floorNumber: 'lfFloorNumber',
  furnishingStatus: 'lfFurnishingStatus',
  propertyAge: 'lfPropertyAge',
  balconies: 'lfBalconies',
  parking: 'lfParking',
  address: 'lfAddress',
  locality: 'lfLocality',
  city: 'lfCity',
  state: 'lfState',
  pincode: 'lfPincode',
  zipcode: 'lfPincode',
  email: 'fdEmail',
  password: 'fdPassword',
  confirmPassword: 'fdConfirm',
  firstName: 'fdFirst',
  lastName: 'fdLast',
  phoneNumber: 'fdNumber',
  phone: 'fdPhone',
  fullName: 'fullName',
} as const

export type FieldErrors = Record<string, string>

const labelled = ([name, message]: [string, string]) =>
  name in FIELD_LABELS ? `${i18next.t(FIELD_LABELS[name as keyof typeof FIELD_LABELS])}: ${message}` : message

/** One error in a line; several under a heading, a line each; none is an empty text. */
export function describeFieldErrors(errors: FieldErrors) {
  const lines = Object.entries(errors).map(labelled)
  return lines.length > 1 ? [i18next.t('xeFix'), ...lines].join('\n') : (lines[0] ?? '')
}
