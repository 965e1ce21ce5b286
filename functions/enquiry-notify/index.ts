// Tells an owner of a new question, by mail and if wanted by SMS. Called by a trigger of the database, at least
// once for each enquiry, so the enquiry itself remembers that somebody was told.
import { asService, settings } from '../_shared/env.ts'
import { isService, json, readObject, refuse } from '../_shared/http.ts'
import { canMail, sendMail } from '../_shared/mail.ts'
import { wordsIn } from '../_shared/words.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const dashboard = `${settings.site}/dashboard?tab=enquiries`

/** The id in a webhook's payload; what else the payload says is not believed. */
function idIn(body: Record<string, unknown> | null) {
  const record = body?.record
  const id = typeof record === 'object' && record !== null && 'id' in record ? record.id : undefined
  return typeof id === 'string' && UUID.test(id) ? id : null
}

async function sendSms(phone: string, text: string) {
  const answer = await fetch(settings.smsUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phone, text }),
    signal: AbortSignal.timeout(10_000),
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`the SMS was refused with ${answer.status}`)
}

Deno.serve(async (request) => {
  if (request.method !== 'POST') return refuse(405, 'Please use POST.')
  if (!(await isService(request, settings.serviceKey)))
    return refuse(403, 'You do not have permission to perform this action.')
  const id = idIn(await readObject(request))
  if (!id) return refuse(400, 'The payload names no enquiry.')

  const service = asService()
  const { data: owner, error: unknown } = await service
    .from('enquiries')
    .select(
      'name, phone, email, message, property:properties(title), owner:profiles!enquiries_owner_id_fkey(email, phone, phone_verified, enquiry_mail, enquiry_sms, locale)',
    )
    .eq('id', id)
    .maybeSingle()
  if (unknown) {
    console.error('enquiry-notify: not read', unknown.code)
    return refuse(502, 'The enquiry could not be read.')
  }
  if (!owner) return json({ told: [], reason: 'gone' })

  const { data: mine, error } = await service
    .from('enquiries')
    .update({ notified_at: new Date().toISOString() })
    .eq('id', id)
    .is('notified_at', null)
    .select('id')
  if (error) return refuse(502, 'The enquiry could not be marked.')
  if (mine.length === 0) return json({ told: [], reason: 'already' })

  const to = one(owner.owner)
  const title = one(owner.property)?.title ?? ''
  const words = wordsIn(to?.locale)
  const told: string[] = []
  try {
    if (to?.enquiry_mail && to.email && canMail()) {
      await sendMail({
        to: to.email,
        replyTo: owner.email ?? undefined,
        subject: words.enquirySubject(title),
        text: words.enquiry({
          name: owner.name,
          title,
          message: owner.message,
          phone: owner.phone ?? '',
          email: owner.email ?? '',
          link: dashboard,
        }),
      })
      told.push('mail')
    }
  } catch {
    console.error('enquiry-notify: the mail failed')
    // Given back, so that the next attempt of the webhook tries again.
    await service.from('enquiries').update({ notified_at: null }).eq('id', id)
    return refuse(502, 'The mail could not be sent.')
  }
  try {
    if (to?.enquiry_sms && to.phone_verified && to.phone && settings.smsUrl) {
      await sendSms(to.phone, words.enquirySms({ name: owner.name, title }))
      told.push('sms')
    }
  } catch {
    // Not tried again: the mail has said it already.
    console.error('enquiry-notify: the SMS failed')
  }
  return json({ told })
})

/** An embedded row, which the client's types take for several. */
function one<T>(rows: T | T[] | null): T | null {
  return Array.isArray(rows) ? (rows[0] ?? null) : rows
}
