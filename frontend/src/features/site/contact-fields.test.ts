import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { LENGTHS, mailOf, wrongIn } from './contact-fields'

const good = {
  name: 'Kavitha',
  email: 'kavitha@example.com',
  phone: '',
  subject: 'A question',
  message: 'Do you list plots?',
}

it.each([
  [{}, {}],
  [{ name: ' ' }, { name: 'coRequired' }],
  [{ email: 'kavitha' }, { email: 'coEmailWrong' }],
  [{ phone: '12' }, { phone: 'coPhoneWrong' }],
  [{ phone: '98765 43210' }, {}],
  [{ message: '' }, { message: 'coRequired' }],
  [{ message: 'Hello' }, { message: 'coShort' }],
])('of %j it says %j', (part, wrong) => {
  expect(wrongIn({ ...good, ...part })).toEqual(wrong)
})

it('lets nothing through that the table would refuse', () => {
  const sql = readFileSync(
    path.resolve(import.meta.dirname, '../../../../sql/marketplace/20260101000300_activity.sql'),
    'utf8',
  )
  const start = sql.indexOf('create table public.contact_messages')
  const table = sql.slice(start, sql.indexOf('\n);', start))
  for (const [name, most] of Object.entries(LENGTHS))
    expect(table).toMatch(new RegExp(`\\b${name} text.*\\b${most}\\b`))
})

it('becomes a mail with the same words', () => {
  const mail = new URL(mailOf('info@nilam.example', good))
  expect(mail.pathname).toBe('info@nilam.example')
  expect(mail.searchParams.get('subject')).toBe('A question')
  expect(mail.searchParams.get('body')).toBe('Do you list plots?\n\nKavitha')
})
