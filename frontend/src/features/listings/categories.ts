import type { Enums } from '@/types/database'

type PropertyType = Enums<'property_type'>

/** The landing pages, each of one type of property. */
export const CATEGORIES: Readonly<Record<PropertyType, { slug: string; title: string; inCity: string }>> = {
  office: { slug: 'office-spaces', title: 'caOffice', inCity: 'caOfficeIn' },
  retail: { slug: 'retail-spaces', title: 'caRetail', inCity: 'caRetailIn' },
  warehouse: { slug: 'warehouses', title: 'caWarehouse', inCity: 'caWarehouseIn' },
  industrial: { slug: 'industrial-properties', title: 'caIndustrial', inCity: 'caIndustrialIn' },
  mixed_use: { slug: 'mixed-use-properties', title: 'caMixedUse', inCity: 'caMixedUseIn' },
}

const TYPES = ['office', 'retail', 'warehouse', 'industrial', 'mixed_use'] as const
export const citySlug = (city: string) => city.toLowerCase().replace(/[^a-z0-9]+/g, '-')
export const categoryPath = (type: PropertyType, city = '') =>
  `/commercial/${CATEGORIES[type].slug}${city && `-in-${citySlug(city)}`}`

/**
 * The type that a slug begins with, and the slug of a city if it goes on with one. Titles of properties may
 * begin alike, so whoever asks must still see whether the city is one.
 */
export function parseCategory(slug: string): { type: PropertyType; city: string } | null {
  for (const type of TYPES) {
    const { slug: own } = CATEGORIES[type]
    if (slug === own) return { type, city: '' }
    if (slug.startsWith(`${own}-in-`)) return { type, city: slug.slice(own.length + 4) }
  }
  return null
}
