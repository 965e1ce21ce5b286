export type Message = { name: string; email: string; phone: string; subject: string; message: string }

const text = (body: Record<string, unknown>, name: string) => {
  const value = body[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** Reads what the form sent. Either the message, or what is wrong with which field. */
export function readMessage(
  body: Record<string, unknown>,
): { message: Message } | { wrong: Record<string, string> } {
  const message = {
    name: text(body, 'name'),
    email: text(body, 'email'),
    phone: text(body, 'phone'),
    subject: text(body, 'subject'),
    message: text(body, 'message'),
  }
  const wrong: Record<string, string> = {}
  if (!message.name) wrong.name = 'This field is required.'
  else if (message.name.length > 200) wrong.name = 'This value is too long.'
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(message.email) || message.email.length > 255)
    wrong.email = 'Please enter a valid email address.'
  if (message.phone && !/^\+?[\d\s().-]{6,40}$/.test(message.phone))
    wrong.phone = 'Please enter a valid phone number.'
  if (message.subject.length > 200) wrong.subject = 'This value is too long.'
  if (!message.message) wrong.message = 'This field is required.'
  else if (message.message.length < 10) wrong.message = 'This value is too short.'
  else if (message.message.length > 5000) wrong.message = 'This value is too long.'
  return Object.keys(wrong).length > 0 ? { wrong } : { message }
}

/** A field that people do not see; only programs fill it in. */
export const isFilledByProgram = (body: Record<string, unknown>) => text(body, 'website') !== ''
