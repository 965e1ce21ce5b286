import { describe, expect, it } from 'vitest'
import { indianTime, isOpen, parseHours } from './hours'

const at = (text: string) => new Date(`${text}+05:30`)

describe('opening hours', () => {
  it.each([
    ['9:00 AM - 7:00 PM', [540, 1140]],
    ['09:30-18:00', [570, 1080]],
    ['12 PM - 12 AM', [720, 0]],
    ['Open 24 hours', [0, 1440]],
  ])('%s is read', (text, span) => expect(parseHours(text)).toEqual(span))
  it.each(['', 'By appointment', '9:00 AM - 1:00 PM, 2:00 PM - 6:00 PM'])('%s is not guessed', (text) =>
    expect(parseHours(text)).toBeNull(),
  )
  it('reads the clock of India wherever the visitor is', () => {
    expect(indianTime(new Date('2026-01-04T20:00:00Z'))).toEqual({ day: 'monday', minute: 90 })
  })
  it('opens and closes on the minute', () => {
    const hours = { monday: '9:00 AM - 7:00 PM' }
    expect(isOpen(hours, at('2026-01-05T08:59'))).toBe(false)
    expect(isOpen(hours, at('2026-01-05T09:00'))).toBe(true)
    expect(isOpen(hours, at('2026-01-05T19:00'))).toBe(false)
    expect(isOpen(hours, at('2026-01-06T12:00'))).toBe(false)
  })
  it('stays open over midnight', () => {
    const hours = { monday: '6:00 PM - 2:00 AM' }
    expect(isOpen(hours, at('2026-01-05T23:00'))).toBe(true)
    expect(isOpen(hours, at('2026-01-06T01:59'))).toBe(true)
    expect(isOpen(hours, at('2026-01-06T02:00'))).toBe(false)
  })
  it('says nothing about a text that it cannot read', () => {
    expect(isOpen({ monday: 'By appointment' }, at('2026-01-05T12:00'))).toBeNull()
  })
})
