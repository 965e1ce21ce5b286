import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { lettersOf } from '../../letters'

/** The words of all catalogues of a language: the one of every page, and those of the sections. */
const files = [
  '.',
  ...readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  ),
]
const wordsOf = (folder: string, language: string): Record<string, string> =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, folder, `${language}.json`), 'utf8'))
const all = (language: string): Record<string, string> =>
  Object.assign({}, ...files.map((folder) => wordsOf(folder, language)))
const en = all('en')
const hi = all('hi')
const ta = all('ta')

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
  const keys = files.flatMap((folder) => Object.keys(wordsOf(folder, 'en')))
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})

it('every key that the code uses is there, and every key is used', () => {
  const text = sources(path.resolve(import.meta.dirname, '..')).join('\n')
  const known = new Set(Object.keys(en).map(base))
  const used = new Set([...text.matchAll(/\bt\(\s*'(\w+)'/g)].map(([, key = '']) => key))
  expect([...used].filter((key) => !known.has(key))).toEqual([])
  expect([...known].filter((key) => !text.includes(`'${key}'`))).toEqual([])
})

it('needs no letters of Hindi beyond those that the small font has', () => {
  const small = new Set(lettersOf(readFileSync(path.join(import.meta.dirname, 'letters-hi.css'), 'utf8')))
  const written = Object.values(hi).flatMap((text) =>
    [...text].filter((letter) => /[\u0900-\u097f]/.test(letter)),
  )
  expect(written.length).toBeGreaterThan(1000)
  expect([...new Set(written.filter((letter) => !small.has(letter)))]).toEqual([])
})
