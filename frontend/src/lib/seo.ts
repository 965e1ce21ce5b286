import { LANGUAGES } from '@/i18n'
import { noteFacts } from '@/lib/page-facts'
import { useEffect } from 'react'

type Facts = {
  title: string
  description: string
  /** The page's own path, without filters. */
  path: string
  image?: string
  /** Structured data of schema.org. */
  data?: readonly object[]
}

/** Where this site is. It is not known while pages are made ahead; nobody reads what is made of it there. */
export const siteOrigin = () =>
  typeof window === 'undefined' ? 'https://nilam.example' : window.location.origin
const absolute = (path: string) => new URL(path, siteOrigin()).href

function tag(name: 'meta' | 'link' | 'script', attributes: Record<string, string>, text = '') {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.textContent = text
  return element
}

/** What search engines and link previews read; all of it leaves with the page. */
export function useSeo({ title, description, path, image, data = [] }: Facts) {
  noteFacts({ description })
  const structured = JSON.stringify(data)
  useEffect(() => {
    const url = absolute(path)
    const inLanguage = (code: string) => (code === 'en' ? url : `${url}?lang=${code}`)
    const own = new URLSearchParams(window.location.search).get('lang')
    const canonical = own && own in LANGUAGES ? inLanguage(own) : url
    const og: Record<string, string> = { title, description, url: canonical, type: 'website' }
    if (image) og.image = absolute(image)
    const added = [
      tag('link', { rel: 'canonical', href: canonical }),
      ...Object.keys(LANGUAGES).map((code) =>
        tag('link', {
          rel: 'alternate',
          hreflang: code === 'en' ? 'en-IN' : code,
          href: inLanguage(code),
        }),
      ),
      tag('link', { rel: 'alternate', hreflang: 'x-default', href: url }),
      ...Object.entries(og).map(([key, content]) => tag('meta', { property: `og:${key}`, content })),
      tag('meta', { name: 'twitter:card', content: image ? 'summary_large_image' : 'summary' }),
      ...(JSON.parse(structured) as object[]).map((item) =>
        tag(
          'script',
          { type: 'application/ld+json' },
          JSON.stringify({ '@context': 'https://schema.org', ...item }),
        ),
      ),
    ]
    document.head.append(...added)
    const shared = document.querySelector<HTMLMetaElement>('meta[name="description"]')
    // What is said of the whole site, which a page that was made ahead replaced already.
    const before = shared?.dataset.site ?? shared?.content ?? ''
    if (shared) shared.content = description
    return () => {
      for (const element of added) element.remove()
      if (shared) shared.content = before
    }
  }, [title, description, path, image, structured])
}

export const breadcrumbs = (steps: ReadonlyArray<readonly [name: string, path: string]>) => ({
  '@type': 'BreadcrumbList',
  itemListElement: steps.map(([name, path], index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: absolute(path),
  })),
})
