// Runs in the head of the page, before its body is there and long before the application: a small file, because the page's policy allows no
// script inside it. It asks for what the first view shows, and keeps what is done to the page until somebody can answer.
import { ask } from './ask'
import { keepEvents } from './keep-events'
import { keepRoom } from './keep-room'
import { markStale } from './mark-stale'
import type { Plan } from './state'

declare const PLANS: readonly Plan[]

globalThis.nilamEarly = { replay: keepEvents() }
try {
  keepRoom()
  markStale()
  ask(PLANS, globalThis.nilamEarly)
} catch {
  // A browser that keeps nothing for anybody: the application asks by itself.
}
