import type { TFunction } from 'i18next'
import { beforeEach, expect, it, vi } from 'vitest'
import { checkEnquiry, dropDraft, keepDraft, readDraft } from './enquiry'

const t = ((key: string) => key) as TFunction
const good = { name: 'Asha', phone: '', message: 'Is this still free in May?' }

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
})

it.each([
  [good, {}],
  [{ ...good, phone: '98765 43210' }, {}],
  [{ ...good, phone: '12345' }, { phone: 'enPhone' }],
  [{ ...good, message: '  short  ' }, { message: 'enShort' }],
  [{ ...good, message: 'x'.repeat(2001) }, { message: 'enLong' }],
  [{}, { fullName: 'enRequired', message: 'enRequired' }],
])('%j is answered by %j', (draft, errors) => expect(checkEnquiry(draft, t)).toEqual(errors))

it('keeps what was typed for each property until it is sent', () => {
  keepDraft('a', { message: 'Hello there' })
  expect(readDraft('a')).toEqual({ message: 'Hello there' })
  expect(readDraft('b')).toEqual({})
  dropDraft('a')
  expect(readDraft('a')).toEqual({})
  sessionStorage.setItem('nilam-enquiry-a', '"nonsense"')
  expect(readDraft('a')).toEqual({})
})
