// Runs when the application is built, in Node: makes the pages that can be made ahead, and writes down what each asks first.
import { HOST, KEY, SLUG, type Plan } from '@/early/state'
import { spaceOptions } from '@/features/coworking/api/get-space'
import { spacesOptions } from '@/features/coworking/api/get-spaces'
import { propertyOptions } from '@/features/listings/api/get-property'
import { searchOptions } from '@/features/listings/api/search'
import { readFilters } from '@/features/listings/filters'
import { pageFacts } from '@/lib/page-facts'
import { QueryClient } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { prerender } from 'react-dom/static'
import { Route, Routes, StaticRouter } from 'react-router-dom'
import { App } from './app/app'
import { Pages, preloadPage } from './app/router'
import { Shell } from './app/shell'

/** Header and footer with nothing between them, for whatever has no page of its own. */
const Bare = () => (
  <Routes>
    <Route element={<Shell />}>
      <Route path="*" element={null} />
    </Route>
  </Routes>
)

function application(path: string) {
  return (
    <StrictMode>
      <App client={new QueryClient()}>
        <StaticRouter location={path}>{path === '/_' ? <Bare /> : <Pages />}</StaticRouter>
      </App>
    </StrictMode>
  )
}

export async function render(path: string) {
  await preloadPage(path)
  // A first time for what is loaded while rendering; the second then has all of it, in the order in which it is seen.
  await prerender(application(path))
  for (const name of Object.keys(pageFacts)) delete pageFacts[name as keyof typeof pageFacts]
  const html = renderToString(application(path)).replace(/^(<link [^>]*>)+/, '')
  if (html.includes('<template')) throw new Error(`${path}: a part of it was not there`)
  return { html, ...pageFacts }
}

/** Lets a question be asked of nobody, and says how. */
async function overheard(ask: () => unknown) {
  const found: Array<Pick<Plan, 'method' | 'path' | 'headers' | 'body'>> = []
  globalThis.fetch = (input, init) => {
    const url = String(input)
    if (url === '/config.json')
      return Promise.resolve(Response.json({ supabaseUrl: HOST, supabaseAnonKey: KEY }))
    const headers = Object.fromEntries(new Headers(init?.headers))
    // The library names what it runs in.
    const client = headers['x-client-info']?.replace(/runtime=.*/, 'runtime=web')
    found.push({
      method: init?.method ?? 'GET',
      path: url.slice(HOST.length),
      headers: { ...headers, ...(client && { 'x-client-info': client }) },
      body: typeof init?.body === 'string' ? init.body : '',
    })
    return Promise.reject(new Error('nobody is there'))
  }
  await Promise.resolve(ask()).catch(() => {})
  if (!found[0]) throw new Error('nothing was asked')
  return found[0]
}

/** What the first views ask first. */
export async function plans(): Promise<Plan[]> {
  // The library wants one to be there; nothing here opens any.
  ;(globalThis as { WebSocket?: unknown }).WebSocket ??= class {}
  const said = console.error
  console.error = () => {}
  const context = { signal: new AbortController().signal } as never
  const slug = '([a-z0-9-]+)'
  const questions: Array<[Pick<Plan, 'address' | 'picture'>, () => unknown]> = [
    [{ address: '^/coworking/?$', picture: 'space' }, () => spacesOptions('').queryFn?.(context)],
    [{ address: `^/coworking/${slug}/?$` }, () => spaceOptions(SLUG).queryFn?.(context)],
    [
      { address: '^/(?:search|commercial)/?$', picture: 'cover' },
      () => searchOptions(readFilters(new URLSearchParams())).queryFn?.(context),
    ],
    [
      { address: `^/property/${slug}/?$`, picture: 'gallery' },
      () => propertyOptions(SLUG).queryFn?.(context),
    ],
  ]
  const list: Plan[] = []
  for (const [where, ask] of questions) list.push({ ...where, ...(await overheard(ask)) })
  console.error = said
  return list
}
