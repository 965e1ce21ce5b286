/** Who runs the site and where to find them; one place, because every page that says it must say the same. */
export const BUSINESS = {
  phone: '+91 4344 000 000',
  phoneLink: 'tel:+914344000000',
  email: 'info@nilam.example',
  address: 'Bagalur Road, Hosur, Tamil Nadu 635109',
  point: { lat: 12.7409, lng: 77.8253 },
} as const
