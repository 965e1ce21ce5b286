import './index.css'

/** Lets the browser do what waits, such as answering a finger. */
const breathe = () => new Promise((resolve) => setTimeout(resolve))

/** What the application is made of is run in steps: all of it at once would hold a phone for a good while. */
async function begin() {
  await import('react-dom/client')
  await breathe()
  await import('@/i18n')
  await breathe()
  await import('./start')
}
void begin()
