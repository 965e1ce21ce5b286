// The addresses of everything public, for search engines. Read as anybody, so nothing else can get into it.
import { asAnyone, settings } from '../_shared/env.ts'
import { refuse } from '../_shared/http.ts'
import { categoryPages, MOST, sitemap, type Page } from './xml.ts'

const STATIC = ['/', '/commercial', '/coworking', '/about-us', '/contact', '/help', '/privacy-policy']
const STEP = 1000

type Listing = { slug: string; property_type: string; city: string | null; updated_at: string }
type Space = { slug: string; updated_at: string }

const client = asAnyone()

async function listings() {
  const found: Listing[] = []
  while (found.length < MOST) {
    const { data, error } = await client
      .from('properties')
      .select('slug, property_type, city, updated_at')
      .eq('status', 'active')
      .order('id')
      .range(found.length, found.length + STEP - 1)
      .returns<Listing[]>()
    if (error) throw error
    found.push(...data)
    if (data.length < STEP) break
  }
  return found
}

async function spaces() {
  const { data, error } = await client
    .from('coworking_space')
    .select('slug, updated_at')
    .eq('active', true)
    .order('id')
    .limit(STEP)
    .returns<Space[]>()
  if (error) throw error
  return data
}

Deno.serve(async (request) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Please use GET.')
  try {
    const [properties, coworking] = await Promise.all([listings(), spaces()])
    const pages: Page[] = [
      ...STATIC.map((path): Page => ({ path, every: 'weekly' })),
      ...categoryPages(properties),
      ...coworking.map(({ slug, updated_at: changed }) => ({
        path: `/coworking/${encodeURIComponent(slug)}`,
        changed,
      })),
      ...properties.map(({ slug, updated_at: changed }) => ({
        path: `/property/${encodeURIComponent(slug)}`,
        changed,
      })),
    ]
    return new Response(request.method === 'HEAD' ? null : sitemap(settings.site, pages), {
      headers: { 'content-type': 'application/xml; charset=utf-8', 'cache-control': 'public, max-age=3600' },
    })
  } catch {
    console.error('sitemap: the lists could not be read')
    return refuse(502, 'The sitemap could not be made.')
  }
})
