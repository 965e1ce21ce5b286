import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fetchOrEarly, madeFor } from './early'

it.each([
  ['/', '/', true],
  ['/coworking', '/coworking', true],
  ['/coworking', '/coworking/', true],
  ['/coworking', '/search', false],
  ['/property/_', '/property/office-in-hosur', true],
  ['/property/_', '/property/office-in-hosur/', true],
  ['/property/_', '/property/office/more', false],
  ['/property/_', '/property', false],
  ['/_', '/anything', false],
  [undefined, '/', false],
])('knows whether the page made for %s is the one of %s', (page, pathname, expected) => {
  expect(madeFor(page, pathname)).toBe(expected)
})

const url = 'https://host.test/rest/v1/a?select=*'
const asked = () => fetchOrEarly(url, { headers: { Authorization: 'Bearer anon' } })

beforeEach(() => {
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve(new Response('late'))),
  )
  const response = Promise.resolve(new Response('early'))
  globalThis.nilamEarly = {
    replay: () => {},
    answer: { method: 'GET', url, body: '', authorization: 'Bearer anon', at: Date.now(), response },
  }
})
afterEach(() => {
  vi.unstubAllGlobals()
  globalThis.nilamEarly = undefined
})

it('uses the answer that is under way once, and asks again after', async () => {
  expect(await (await asked()).text()).toBe('early')
  expect(await (await asked()).text()).toBe('late')
})

it.each([
  ['another address', () => fetchOrEarly(`${url}&b=1`, { headers: { Authorization: 'Bearer anon' } })],
  ['another name', () => fetchOrEarly(url, { headers: { Authorization: 'Bearer somebody' } })],
  ['a change', () => fetchOrEarly(url, { method: 'POST', headers: { Authorization: 'Bearer anon' } })],
])('asks itself for %s, and keeps the answer for whoever asks the same', async (_, ask) => {
  expect(await (await ask()).text()).toBe('late')
  expect(await (await asked()).text()).toBe('early')
})

it('asks itself when the answer did not arrive, and says when nobody waits any more', async () => {
  const broken = Promise.reject(new TypeError('Failed to fetch'))
  globalThis.nilamEarly!.answer!.response = broken
  expect(await (await asked()).text()).toBe('late')
  globalThis.nilamEarly!.answer = {
    method: 'GET',
    url,
    body: '',
    authorization: '',
    at: Date.now(),
    response: new Promise(() => {}),
  }
  const controller = new AbortController()
  const waiting = fetchOrEarly(url, { signal: controller.signal })
  controller.abort()
  await expect(waiting).rejects.toThrow('abort')
})

it('asks anew when the answer is old', async () => {
  globalThis.nilamEarly!.answer!.at -= 60_000
  expect(await (await asked()).text()).toBe('late')
})
