import i18next, { type TFunction } from 'i18next'
import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react'

type Words = { t: TFunction; language: string }

let words: Words | undefined
/** The words of the language of now. */
function current(): Words {
  const language = i18next.language
  if (words?.language !== language) words = { t: i18next.getFixedT(language), language }
  return words
}

function onLanguage(changed: () => void) {
  i18next.on('languageChanged', changed)
  return () => i18next.off('languageChanged', changed)
}

const Spoken = createContext<Words | null>(null)

/** Follows the language once for all: a list of cards has hundreds of parts that say something, each of which would listen for itself. */
export function Language({ children }: { children: ReactNode }) {
  return <Spoken value={useSyncExternalStore(onLanguage, current, current)}>{children}</Spoken>
}

/** What a component says, and in which language. */
export const useTranslation = (): Words => useContext(Spoken) ?? current()
