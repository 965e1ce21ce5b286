import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

const KEY = 'nilam-language';
export const LANGUAGES = { en: 'English', hi: 'हिन्दी', ta: 'தமிழ்' } as const;
export type Language = keyof typeof LANGUAGES;

const catalogues = {
  hi: () => import('@/locales/hi.json'),
  ta: () => import('@/locales/ta.json'),
};

/** English sentences are the keys, so the English copy has one home and is the fallback. */
export async function startI18n() {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    resources: {},
    interpolation: { escapeValue: false },
  });
  const kept = localStorage.getItem(KEY);
  if (kept === 'hi' || kept === 'ta') await setLanguage(kept);
}

export async function setLanguage(language: Language) {
  if (language !== 'en') {
    const { default: texts } = await catalogues[language]();
    i18next.addResourceBundle(language, 'translation', texts);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  localStorage.setItem(KEY, language);
}
