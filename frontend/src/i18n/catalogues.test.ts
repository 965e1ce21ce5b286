import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import authEn from './auth/en.json'
import authHi from './auth/hi.json'
import authTa from './auth/ta.json'
import baseEn from './en.json'
import baseHi from './hi.json'
import listingEn from './listing/en.json'
import listingHi from './listing/hi.json'
import listingTa from './listing/ta.json'
import ownerEn from './owner/en.json'
import ownerHi from './owner/hi.json'
import ownerTa from './owner/ta.json'
import propertyEn from './property/en.json'
import propertyHi from './property/hi.json'
import propertyTa from './property/ta.json'
import baseTa from './ta.json'

const en: Record<string, string> = { ...baseEn, ...authEn, ...propertyEn, ...listingEn, ...ownerEn }
const hi: Record<string, string> = { ...baseHi, ...authHi, ...propertyHi, ...listingHi, ...ownerHi }
const ta: Record<string, string> = { ...baseTa, ...authTa, ...propertyTa, ...listingTa, ...ownerTa }

const placeholders = (text: string) => [...text.matchAll(/{{\s*(\w+)\s*}}/g)].map(([, name]) => name).sort()
// Languages differ in their plural forms, so those are compared without the form.
const base = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return sources(file)
    return /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.') ? [readFileSync(file, 'utf8')] : []
  })
}

describe.each([
  ['hi', hi],
  ['ta', ta],
])('the catalogue %s', (_, catalogue: Record<string, string>) => {
  it('has the keys of the English one', () => {
    expect([...new Set(Object.keys(catalogue).map(base))].sort()).toEqual(
      [...new Set(Object.keys(en).map(base))].sort(),
    )
  })
  it.each(Object.entries(en))('fills the places of %s', (key, text) => {
    const own = catalogue[key] ?? catalogue[`${base(key)}_other`] ?? ''
    expect(own).not.toBe('')
    expect(placeholders(own)).toEqual(placeholders(text))
  })
})

it('no section says what another says', () => {
  const all = [baseEn, authEn, propertyEn, listingEn, ownerEn].flatMap((words) => Object.keys(words))
  expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([])
})

it('every key that the code uses is there, and every key is used', () => {
  const text = sources(path.resolve(import.meta.dirname, '..')).join('\n')
  const known = new Set(Object.keys(en).map(base))
  const used = new Set([...text.matchAll(/\bt\(\s*'(\w+)'/g)].map(([, key = '']) => key))
  expect([...used].filter((key) => !known.has(key))).toEqual([])
  expect([...known].filter((key) => !text.includes(`'${key}'`))).toEqual([])
})
