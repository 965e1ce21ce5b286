import { toE164 } from '@/lib/phone'
import type { FieldErrors } from '@/lib/fields'
import type { TFunction } from 'i18next'

export type Draft = { name?: string; phone?: string; message?: string }
const keyOf = (id: string) => `nilam-enquiry-${id}`

/** What was typed survives signing in, a reload and a lost connection, in this tab only. */
export function readDraft(id: string): Draft {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(keyOf(id)) ?? '{}')
    if (typeof found !== 'object' || found === null) return {}
    const texts = Object.entries(found).filter(([, value]) => typeof value === 'string')
    return Object.fromEntries(texts)
  } catch {
    return {}
  }
}
export const keepDraft = (id: string, draft: Draft) =>
  sessionStorage.setItem(keyOf(id), JSON.stringify(draft))
export const dropDraft = (id: string) => sessionStorage.removeItem(keyOf(id))

export const MESSAGE = { least: 10, most: 2000 } as const

/** The same rules as the table's, so that it never has to refuse. A phone number may be left out. */
export function checkEnquiry({ name = '', phone = '', message = '' }: Draft, t: TFunction): FieldErrors {
  const errors: FieldErrors = {}
  if (!name.trim()) errors.fullName = t('enRequired')
  else if (name.trim().length > 200) errors.fullName = t('enLong')
  if (phone.trim() && !toE164(phone)) errors.phone = t('enPhone')
  if (!message.trim()) errors.message = t('enRequired')
  else if (message.trim().length < MESSAGE.least) errors.message = t('enShort', { count: MESSAGE.least })
  else if (message.trim().length > MESSAGE.most) errors.message = t('enLong')
  return errors
}
