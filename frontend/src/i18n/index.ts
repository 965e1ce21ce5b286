import i18next from 'i18next'
import en from './en.json'
import errors from './errors/en.json'

export const LANGUAGES = { en: 'English', hi: 'हिन्दी', ta: 'தமிழ்' } as const
export type Language = keyof typeof LANGUAGES
const STORAGE_KEY = 'nilam-language'
const isLanguage = (value: string | null): value is Language =>
  value !== null && Object.hasOwn(LANGUAGES, value)
/** What every page says, and what went wrong there: that cannot be fetched when a connection is what is missing. */
const merged = async (...parts: Array<Promise<{ default: object }>>) => ({
  default: Object.assign({}, ...(await Promise.all(parts)).map((part) => part.default)) as object,
})
const letters = {
  hi: () => import('./letters-hi.css'),
  ta: () => import('./letters-ta.css'),
}
/** A catalogue comes with the letters that it is written in. */
const loaders = {
  hi: async () => {
    void letters.hi()
    return merged(import('./hi.json'), import('./errors/hi.json'))
  },
  ta: async () => {
    void letters.ta()
    return merged(import('./ta.json'), import('./errors/ta.json'))
  },
}
/** What only some pages say comes with those pages, under the same names and in the same languages. */
const sectionLoaders = {
  admin: {
    en: () => import('./admin/en.json'),
    hi: () => import('./admin/hi.json'),
    ta: () => import('./admin/ta.json'),
  },
  compare: {
    en: () => import('./compare/en.json'),
    hi: () => import('./compare/hi.json'),
    ta: () => import('./compare/ta.json'),
  },
  home: {
    en: () => import('./home/en.json'),
    hi: () => import('./home/hi.json'),
    ta: () => import('./home/ta.json'),
  },
  map: {
    en: () => import('./map/en.json'),
    hi: () => import('./map/hi.json'),
    ta: () => import('./map/ta.json'),
  },
  site: {
    en: () => import('./site/en.json'),
    hi: () => import('./site/hi.json'),
    ta: () => import('./site/ta.json'),
  },
  coworking: {
    en: () => import('./coworking/en.json'),
    hi: () => import('./coworking/hi.json'),
    ta: () => import('./coworking/ta.json'),
  },
  auth: {
    en: () => import('./auth/en.json'),
    hi: () => import('./auth/hi.json'),
    ta: () => import('./auth/ta.json'),
  },
  property: {
    en: () => import('./property/en.json'),
    hi: () => import('./property/hi.json'),
    ta: () => import('./property/ta.json'),
  },
}
export type Section = keyof typeof sectionLoaders
/** The words of some pages, in each language. */
export type Loaders = Readonly<Record<Language, () => Promise<{ default: object }>>>
const sections = new Map<string, Loaders>()
const loaded = new Set<string>()

async function loadSection(section: string, loaders: Loaders, language: Language) {
  const name = `${section}/${language}`
  if (loaded.has(name)) return
  const { default: words } = await loaders[language]()
  i18next.addResourceBundle(language, 'translation', words, true, true)
  loaded.add(name)
}

/** Fetches the words of a section, in English for what a language lacks and in the language of now. */
export async function needWords(section: string, loaders: Loaders) {
  sections.set(section, loaders)
  const languages = new Set<Language>(['en', isLanguage(i18next.language) ? i18next.language : 'en'])
  await Promise.all([...languages].map((language) => loadSection(section, loaders, language)))
}

export const needSection = (section: Section) => needWords(section, sectionLoaders[section])

void i18next.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: { ...en, ...errors } } },
  interpolation: { escapeValue: false },
})

const SAMPLES = { en: '', hi: LANGUAGES.hi, ta: LANGUAGES.ta }

/** Fetches the letters before they are shown, where the system may have none of its own; words do not wait long. */
async function lettersOf(language: Language) {
  if (!SAMPLES[language]) return
  const family = getComputedStyle(document.body).fontFamily
  const load = (weight: string) => document.fonts.load(`${weight} 1em ${family}`, SAMPLES[language])
  const fonts = Promise.all([load('normal'), load('bold')]).catch(() => [])
  await Promise.race([fonts, new Promise((resolve) => setTimeout(resolve, 2000))])
}

/** Catalogues other than English are fetched when first chosen. */
export async function setLanguage(language: Language) {
  if (language !== 'en' && !loaded.has(language)) {
    i18next.addResourceBundle(language, 'translation', (await loaders[language]()).default, true, true)
    loaded.add(language)
  }
  await Promise.all([...sections].map(([section, loaders]) => loadSection(section, loaders, language)))
  await lettersOf(language)
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
  localStorage.setItem(STORAGE_KEY, language)
}

/** What a visit starts in. A link may ask for a language; it counts as a choice. */
export function firstLanguage(): Language {
  const asked = new URLSearchParams(window.location.search).get('lang')
  const wanted = isLanguage(asked) ? asked : localStorage.getItem(STORAGE_KEY)
  return isLanguage(wanted) ? wanted : 'en'
}

const WRITTEN = [
  ['hi', /[\u0900-\u097f]/],
  ['ta', /[\u0b80-\u0bff]/],
] as const

/**
 * Owners write titles in their own letters, whatever language they are read in. Their shapes are there before the text is, so that no line
 * breaks anew in front of the reader; a font is only fetched where the system has none.
 */
export async function lettersFor(texts: ReadonlyArray<string | null>) {
  const wanted = WRITTEN.filter(([, letter]) => texts.some((text) => text && letter.test(text)))
  await Promise.all(
    wanted.map(async ([language]) => {
      await letters[language]()
      await lettersOf(language)
    }),
  ).catch(() => {})
}
