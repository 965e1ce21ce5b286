import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import en from './en.json'

export const LANGUAGES = { en: 'English', hi: 'हिन्दी', ta: 'தமிழ்' } as const
export type Language = keyof typeof LANGUAGES
const STORAGE_KEY = 'nilam-language'
/** A catalogue comes with the letters that it is written in. */
const loaders = {
  hi: async () => {
    void import('@fontsource-variable/noto-sans-devanagari/index.css')
    return import('./hi.json')
  },
  ta: async () => {
    void import('@fontsource-variable/noto-sans-tamil/index.css')
    return import('./ta.json')
  },
}
const isLanguage = (value: string | null): value is Language =>
  value !== null && Object.hasOwn(LANGUAGES, value)

void i18next.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  interpolation: { escapeValue: false },
})

const SAMPLES = { en: '', hi: LANGUAGES.hi, ta: LANGUAGES.ta }

/** Fetches the letters before they are shown, where the system may have none of its own; words do not wait long. */
async function lettersOf(language: Language) {
  if (!SAMPLES[language]) return
  const family = getComputedStyle(document.body).fontFamily
  const fonts = document.fonts.load(`1em ${family}`, SAMPLES[language]).catch(() => [])
  await Promise.race([fonts, new Promise((resolve) => setTimeout(resolve, 2000))])
}

/** Catalogues other than English are fetched when first chosen. */
export async function setLanguage(language: Language) {
  if (language !== 'en' && !i18next.hasResourceBundle(language, 'translation'))
    i18next.addResourceBundle(language, 'translation', (await loaders[language]()).default)
  await lettersOf(language)
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
  localStorage.setItem(STORAGE_KEY, language)
}

// A link may ask for a language; it counts as a choice.
const asked = new URLSearchParams(window.location.search).get('lang')
const stored = isLanguage(asked) ? asked : localStorage.getItem(STORAGE_KEY)
if (isLanguage(stored) && stored !== 'en') void setLanguage(stored)
