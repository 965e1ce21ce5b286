const HOUR = 3_600_000
/** A decision is promised within two working days. */
const PROMISED_HOURS = 48

/** How long something has waited, in the unit that says it best, and whether that is too long. */
export function waited(since: string | null, now = Date.now()) {
  const hours = since ? Math.max(0, Math.floor((now - new Date(since).getTime()) / HOUR)) : 0
  const late = hours >= PROMISED_HOURS
  return hours < 24
    ? ({ unit: 'hours', count: hours, late } as const)
    : ({ unit: 'days', count: Math.floor(hours / 24), late } as const)
}
