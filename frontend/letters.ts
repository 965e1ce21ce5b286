import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'

const at = (file: string) => fileURLToPath(new URL(`./node_modules/${file}`, import.meta.url))
const WHOLE = at('@fontsource/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-400-normal.woff2')
export const FOLDER = at('.letters')

const RULES = fileURLToPath(new URL('./src/i18n/letters-hi.css', import.meta.url))

/** What the first `unicode-range` of these rules says. */
export function lettersOf(rules: string): string {
  const [, ranges = ''] = /unicode-range:([^;]*);/.exec(rules) ?? []
  return ranges
    .split(',')
    .map((range) =>
      range
        .trim()
        .replace('U+', '')
        .split('-')
        .map((code) => parseInt(code, 16)),
    )
    .map(([from = 0, to = from]) =>
      String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, more) => from + more)),
    )
    .join('')
}

/**
 * A font of Devanagari is large for what it joins to what. Two thirds of it is enough for Hindi; whatever else is written has the whole font
 * fetched. The file is made where there is none yet, before anything asks for it.
 */
export function letters(): Plugin {
  return {
    name: 'letters',
    async config() {
      const made = `${FOLDER}/devanagari-400.woff2`
      const [present, ...sources] = await Promise.all([
        stat(made).catch(() => null),
        stat(WHOLE),
        stat(RULES),
      ])
      if (present && sources.every(({ mtimeMs }) => present.mtimeMs > mtimeMs)) return
      const wanted = lettersOf(await readFile(RULES, 'utf8'))
      const font = await subsetFont(await readFile(WHOLE), wanted, { targetFormat: 'woff2' })
      await mkdir(FOLDER, { recursive: true })
      const half = `${made}.${process.pid}`
      await writeFile(half, font)
      await rename(half, made)
    },
  }
}
