type PageFacts = { title: string; description: string; noindex: boolean }

/** What the page that is made ahead says of itself, for the head of its file; effects, which say it in a browser, do not run there. */
export const pageFacts: Partial<PageFacts> = {}

export function noteFacts(facts: Partial<PageFacts>) {
  if (import.meta.env.SSR) Object.assign(pageFacts, facts)
}
