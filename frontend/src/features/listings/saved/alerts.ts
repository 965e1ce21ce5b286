import type { Enums } from '@/types/database'

/** How somebody is told of what is new in a kept search. */
export const ALERTS: Readonly<Record<Enums<'search_alert'>, string>> = {
  off: 'ssOff',
  daily: 'ssDaily',
  instant: 'ssInstant',
}
