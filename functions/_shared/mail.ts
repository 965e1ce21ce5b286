import nodemailer from 'nodemailer'

const read = (name: string) => Deno.env.get(name) ?? ''

export type Mail = { to: string; subject: string; text: string; replyTo?: string }

/** Whether mails can leave at all: `SMTP_HOST` says through whom. */
export const canMail = () => read('SMTP_HOST') !== ''

/** Sends a plain mail. Says whether there was a way to send it, and throws when that way failed. */
export async function sendMail({ to, subject, text, replyTo }: Mail) {
  if (!canMail()) return false
  const port = Number(read('SMTP_PORT') || 587)
  const user = read('SMTP_USER')
  const transport = nodemailer.createTransport({
    host: read('SMTP_HOST'),
    port,
    secure: port === 465,
    auth: user ? { user, pass: read('SMTP_PASS') } : undefined,
    // Said here, because the name of the machine is none of a function's business.
    name: 'nilam',
    connectionTimeout: 10_000,
    socketTimeout: 10_000,
  })
  try {
    await transport.sendMail({
      from: read('SMTP_FROM') || 'Nilam <no-reply@nilam.example>',
      to,
      // A line break in it would be a header of its own.
      subject: subject.replace(/[\r\n]+/g, ' '),
      text,
      replyTo,
    })
  } finally {
    transport.close()
  }
  return true
}
