/** What people call the fields of our forms; messages name a field by this. */
export const FIELD_LABELS = {
  propertyTitle: 'Property title',
  propertyDescription: 'Property description',
  expectedPrice: 'Expected price',
  carpetArea: 'Carpet area',
  builtUpArea: 'Built-up area',
  totalFloors: 'Total floors',
  floorNumber: 'Floor number',
  furnishingStatus: 'Furnishing status',
  propertyAge: 'Property age',
  balconies: 'Balconies',
  parking: 'Parking',
  address: 'Address',
  locality: 'Locality',
  city: 'City',
  state: 'State',
  pincode: 'PIN code',
  zipcode: 'PIN code',
  email: 'Email',
  password: 'Password',
  confirmPassword: 'Confirm password',
  firstName: 'First name',
  lastName: 'Last name',
  phoneNumber: 'Phone number',
  phone: 'Phone',
  fullName: 'Full name',
} as const

export type FieldErrors = Record<string, string>

const labelled = ([name, message]: [string, string]) =>
  name in FIELD_LABELS ? `${FIELD_LABELS[name as keyof typeof FIELD_LABELS]}: ${message}` : message

/** One error in a line; several under a heading, a line each; none is an empty text. */
export function describeFieldErrors(errors: FieldErrors) {
  const lines = Object.entries(errors).map(labelled)
  return lines.length > 1 ? ['Please fix the following errors:', ...lines].join('\n') : (lines[0] ?? '')
}
