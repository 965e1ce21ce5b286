// Keeps what the application is made of, so that it opens without a connection. Answers of the services are not kept:
// they belong to whoever asked. What was read in a visit stays readable in it, in the page's own memory.
const CACHE = 'nilam-shell-2'
const MOST = 150
/** The page for any address: the others were made for one each. */
const PAGE = '/_.html'
const SHELL = [PAGE, '/config.json', '/logo.svg', '/hero.svg', '/avatar.svg', '/coworking-placeholder.svg']

/** The page, and what it names: the entry and its style. */
async function fill() {
  const cache = await caches.open(CACHE)
  const page = await fetch(PAGE, { cache: 'reload' })
  if (!page.ok) return
  const text = await page.clone().text()
  await cache.put(PAGE, page)
  const named = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
  await Promise.allSettled([...SHELL.slice(1), ...named].map((path) => cache.add(path)))
}

async function trim(cache) {
  const keys = await cache.keys()
  const old = keys.filter((request) => new URL(request.url).pathname.startsWith('/assets/'))
  await Promise.all(old.slice(0, Math.max(0, old.length - MOST)).map((request) => cache.delete(request)))
}

/** Hashed files never change: once kept, they are good. */
async function kept(request) {
  const cache = await caches.open(CACHE)
  const found = await cache.match(request)
  if (found) return found
  const answer = await fetch(request)
  if (answer.ok) {
    await cache.put(request, answer.clone())
    await trim(cache)
  }
  return answer
}

const entryOf = (text) => /assets\/index-[^"]+\.js/.exec(text)?.[0]

/** Pages come from the network as long as there is one; without, the page for any address. */
async function page(event) {
  const cache = await caches.open(CACHE)
  try {
    const answer = await fetch(event.request)
    // A page of a newer application: the one that is kept has to be of the same.
    const newer = async (copy) => {
      const kept = await cache.match(PAGE)
      const entry = entryOf(await copy.text())
      if (entry && entry !== entryOf((await kept?.text()) ?? '')) await fill()
    }
    if (answer.ok) event.waitUntil(newer(answer.clone()).catch(() => {}))
    return answer
  } catch (error) {
    const found = await cache.match(PAGE)
    if (found) return found
    throw error
  }
}

/** From the network as long as there is one. */
async function fresh(request, path) {
  const cache = await caches.open(CACHE)
  try {
    const answer = await fetch(request)
    if (answer.ok) await cache.put(path, answer.clone())
    return answer
  } catch (error) {
    const found = await cache.match(path)
    if (found) return found
    throw error
  }
}

self.addEventListener('install', (event) => event.waitUntil(fill().then(() => self.skipWaiting())))
self.addEventListener('activate', (event) =>
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  ),
)
self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  if (url.pathname.startsWith('/assets/')) event.respondWith(kept(request))
  else if (
    request.mode === 'navigate' &&
    !/^\/(rest|auth|storage|realtime|functions|graphql)\/v1\//.test(url.pathname)
  )
    event.respondWith(page(event))
  else if (SHELL.includes(url.pathname)) event.respondWith(fresh(request, url.pathname))
})
