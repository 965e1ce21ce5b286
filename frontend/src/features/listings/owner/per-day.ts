const DAY = 86_400_000
/** India is five and a half hours ahead, all year. */
const AHEAD = 19_800_000
const dayOf = (time: number) => Math.floor((time + AHEAD) / DAY)

/** How many of these moments lie on each of the last days, in India's days, the oldest first. */
export function perDay(moments: readonly string[], days: number, now = Date.now()) {
  const today = dayOf(now)
  const counts = Array.from({ length: days }, (_, index) => ({
    at: new Date((today - days + 1 + index) * DAY).toISOString(),
    count: 0,
  }))
  for (const moment of moments) {
    const day = counts[dayOf(Date.parse(moment)) - today + days - 1]
    if (day) day.count++
  }
  return counts
}
