import { toE164 } from '@/lib/phone'
import type { Message } from './api/send-message'

/** As long as the table of messages takes them. */
export const LENGTHS = { name: 200, email: 255, phone: 40, subject: 200, message: 5000 } as const
const LEAST = 10

export type Wrong = Partial<Record<keyof Message, 'coRequired' | 'coEmailWrong' | 'coPhoneWrong' | 'coShort'>>

export function wrongIn({ name, email, phone, message }: Message): Wrong {
  const wrong: Wrong = {}
  if (!name.trim()) wrong.name = 'coRequired'
  if (!email.trim()) wrong.email = 'coRequired'
  else if (!/^\S+@\S+\.\S+$/.test(email.trim())) wrong.email = 'coEmailWrong'
  if (phone.trim() && !toE164(phone)) wrong.phone = 'coPhoneWrong'
  if (message.trim().length < LEAST) wrong.message = message.trim() ? 'coShort' : 'coRequired'
  return wrong
}

/** The same message as a mail, for when the form does not get through. */
export const mailOf = (to: string, { subject, message, name, phone }: Message) =>
  `mailto:${to}?subject=${encodeURIComponent(subject || name)}&body=${encodeURIComponent(
    [message, '', name, phone].join('\n').trim(),
  )}`
