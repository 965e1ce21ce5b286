import { CONTENT } from './state'

/** `value` is what was typed or chosen: a field that the page renders anew meanwhile has forgotten it. */
type Kept = { target: HTMLElement; type: string; value?: string }

const isText = (target: HTMLElement): target is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  target.matches('input:not([type=radio],[type=checkbox]), textarea, select')

/** Says a value anew. React compares with what it saw last, which is what it found when it took the page over. */
function sayAgain(target: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, value = target.value) {
  target.value = ''
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), 'value')?.set?.call(target, value)
  target.dispatchEvent(new Event(target instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
}

function doAgain({ target, type, value }: Kept) {
  if (!target.isConnected) return
  if (type === 'value' && isText(target)) sayAgain(target, value)
  else if (target instanceof HTMLFormElement) target.requestSubmit()
  else target.click()
}

/**
 * A page that was made ahead is seen before its code is there. Links and typing work by themselves; what was typed, and what was
 * clicked or sent meanwhile, is kept. Returns what does it again: what was done around the content, and with the rest after it.
 */
export function keepEvents() {
  const kept = new Map<HTMLElement, Kept>()
  let isAgain = false
  /** What is around the content answers by itself already. */
  let isAround = false
  const answers = (target: Element) => isAround && !target.closest(`#${CONTENT}`)
  const keep = (event: Event) => {
    const from = event.target
    if (isAgain || !(from instanceof HTMLElement || from instanceof SVGElement) || answers(from)) return
    const { type } = event
    if (type === 'input' || type === 'change') {
      if (from instanceof HTMLElement && isText(from))
        kept.set(from, { target: from, type: 'value', value: from.value })
      return
    }
    const target =
      type === 'submit'
        ? from
        : from.closest('a[href],button,label,summary,input[type=radio],input[type=checkbox]')
    if (!(target instanceof HTMLElement) || target instanceof HTMLAnchorElement) return
    // The form is sent by its button's click, if that is kept.
    event.preventDefault()
    event.stopImmediatePropagation()
    kept.delete(target)
    kept.set(target, { target, type })
  }
  const types = ['input', 'change', 'click', 'submit'] as const
  for (const type of types) addEventListener(type, keep, true)
  // One after the other, each when the page knows of those before it; what comes meanwhile stands in line. All that was typed is said
  // before the next picture is drawn: a field that the page has rendered anew meanwhile is not seen empty.
  const replay = (part?: 'around') => {
    const first = [...kept.values()].find(({ target }) => !part || !target.closest(`#${CONTENT}`))
    if (!first) {
      isAround = true
      if (!part) for (const type of types) removeEventListener(type, keep, true)
      return
    }
    kept.delete(first.target)
    isAgain = true
    doAgain(first)
    isAgain = false
    const next = () => replay(part)
    if (first.type === 'value') queueMicrotask(next)
    else setTimeout(next)
  }
  return replay
}
