// Takes what the contact form sends: checks it, stores it, and mails it to the team.
import { asService, settings } from '../_shared/env.ts'
import { json, preflight, readObject, refuse, senderHash } from '../_shared/http.ts'
import { sendMail } from '../_shared/mail.ts'
import { isFilledByProgram, readMessage } from './message.ts'

Deno.serve(async (request) => {
  const early = preflight(request)
  if (early) return early
  if (request.method !== 'POST') return refuse(405, 'Please send the form with POST.')
  const body = await readObject(request)
  if (!body) return refuse(400, 'The form could not be read.')
  // Answered like any other, so that nothing is learnt from it.
  if (isFilledByProgram(body)) return json({ ok: true })
  const read = readMessage(body)
  if ('wrong' in read)
    return refuse(400, Object.values(read.wrong)[0] ?? 'Please check your input and try again.', {
      fields: read.wrong,
    })
  const { message } = read
  const { data: id, error } = await asService().rpc('take_contact_message', {
    ...message,
    sender_hash: await senderHash(request, settings.serviceKey),
  })
  if (error) {
    console.error('contact: not stored', error.code)
    return refuse(500, 'Your message could not be sent. Please try again.')
  }
  if (id === null) return refuse(429, 'Too many messages. Please try again in an hour.')
  try {
    const sent = await sendMail({
      to: settings.contactTo,
      replyTo: message.email,
      subject: `Contact form: ${message.subject || message.name}`,
      text: `${message.name} <${message.email}> ${message.phone}\n\n${message.message}\n`,
    })
    if (!sent) console.warn('contact: stored, but there is no SMTP_HOST to mail through')
  } catch {
    // It is stored and shown to administrators; the sender has nothing to repeat.
    console.error('contact: stored, but not mailed')
  }
  return json({ ok: true })
})
