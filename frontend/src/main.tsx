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

const AGAIN = 'nilam-begin-again'
const WORDS = {
  en: ['The page could not be loaded.', 'Try again'],
  hi: ['पेज लोड नहीं हो सका।', 'फिर कोशिश करें'],
  ta: ['பக்கத்தை ஏற்ற முடியவில்லை.', 'மீண்டும் முயற்சிக்கவும்'],
}

/** Whether the page may be fetched once more by itself: it names files of a former build if a new one came meanwhile. */
function mayReload() {
  try {
    if (!navigator.onLine || sessionStorage.getItem(AGAIN)) return false
    sessionStorage.setItem(AGAIN, '1')
    return true
  } catch {
    return false
  }
}

/** A page that was made ahead looks as if it worked. When its code does not come it has to say so; the words come with it, not later. */
function sayFailed() {
  let language = 'en'
  try {
    language = localStorage.getItem('nilam-language') ?? 'en'
  } catch {
    // Whoever keeps nothing has chosen nothing.
  }
  const [text = '', again = ''] = WORDS[language as keyof typeof WORDS] ?? WORDS.en
  const link = document.createElement('a')
  Object.assign(link, { href: '', textContent: again, className: 'font-semibold underline' })
  const note = document.createElement('p')
  note.setAttribute('role', 'alert')
  note.className = 'fixed inset-x-0 bottom-0 z-50 bg-amber-100 p-4 text-amber-950'
  note.append(`${text} `, link)
  document.body.append(note)
}

begin().then(
  () => {
    try {
      sessionStorage.removeItem(AGAIN)
    } catch {
      // Nothing is kept, so nothing is left.
    }
  },
  () => (mayReload() ? location.reload() : sayFailed()),
)
