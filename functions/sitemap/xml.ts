export type Page = { path: string; changed?: string | null; every?: 'daily' | 'weekly' | 'monthly' }

const escape = (text: string) => text.replace(/[<>&'"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** More than this a sitemap may not hold. */
export const MOST = 50_000

export function sitemap(site: string, pages: readonly Page[]) {
  const urls = pages.slice(0, MOST).map(({ path, changed, every }) => {
    const parts = [`<loc>${escape(site + path)}</loc>`]
    if (changed) parts.push(`<lastmod>${new Date(changed).toISOString().slice(0, 10)}</lastmod>`)
    if (every) parts.push(`<changefreq>${every}</changefreq>`)
    return `<url>${parts.join('')}</url>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`
}

const CATEGORIES: Readonly<Record<string, string>> = {
  office: 'office-spaces',
  retail: 'retail-spaces',
  warehouse: 'warehouses',
  industrial: 'industrial-properties',
  mixed_use: 'mixed-use-properties',
}
const slugOf = (city: string) =>
  city
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

type Listing = { property_type: string; city: string | null }

/** The pages of each kind of property, and of each kind in each city that has some. */
export function categoryPages(listings: readonly Listing[]): Page[] {
  const paths = new Set(Object.values(CATEGORIES).map((slug) => `/commercial/${slug}`))
  for (const { property_type: type, city } of listings) {
    const category = CATEGORIES[type]
    if (category && city && slugOf(city)) paths.add(`/commercial/${category}-in-${slugOf(city)}`)
  }
  return [...paths].sort().map((path) => ({ path, every: 'daily' }))
}
