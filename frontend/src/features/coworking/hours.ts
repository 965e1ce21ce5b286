import type { Json } from '@/types/database'
import { DAYS, hoursOf, type Day } from './format'

const INDIA = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Asia/Kolkata',
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** The day and the minute of that day in India, wherever the visitor is. */
export function indianTime(now: Date): { day: Day; minute: number } {
  const parts = Object.fromEntries(INDIA.formatToParts(now).map(({ type, value }) => [type, value]))
  const day = DAYS.find((name) => name === parts.weekday?.toLowerCase()) ?? 'monday'
  return { day, minute: Number(parts.hour) * 60 + Number(parts.minute) }
}

const TIME = /(\d{1,2})(?:[:.](\d{2}))?\s*([ap])?\.?m?\.?/gi

/** The opening and closing minute of a text such as '9:00 AM - 7:00 PM'; null when it says neither. */
export function parseHours(text: string): readonly [number, number] | null {
  if (/24\s*(?:hours|hrs|x\s*7|\/\s*7)/i.test(text)) return [0, 24 * 60]
  const [from, to, ...more] = [...text.matchAll(TIME)].map(([, hour, minute = '0', half]) => {
    const clock = half ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour)
    return clock * 60 + Number(minute)
  })
  const valid = (value?: number): value is number => value !== undefined && value <= 24 * 60
  return valid(from) && valid(to) && more.length === 0 ? [from, to] : null
}

/** Whether a place is open at that moment; null when its text cannot be read. */
export function isOpen(hours: Json | null, now: Date): boolean | null {
  const { day, minute } = indianTime(now)
  const before = DAYS[(DAYS.indexOf(day) + 6) % 7] ?? day
  const late = parseHours(hoursOf(hours, before) ?? '')
  // A night shift that began yesterday may still run.
  if (late && late[1] < late[0] && minute < late[1]) return true
  const text = hoursOf(hours, day)
  if (!text) return false
  const span = parseHours(text)
  if (!span) return /closed/i.test(text) ? false : null
  const [from, to] = span
  return to < from ? minute >= from : minute >= from && minute < to
}
