/** E.164, with India assumed when no country is given; null when it cannot be a phone number. */
export function toE164(input: string) {
  const text = input.replace(/[\s().-]/g, '')
  const full = text.startsWith('+') ? text : `+91${text.replace(/^0/, '')}`
  return (full.startsWith('+91') ? /^\+91[6-9]\d{9}$/ : /^\+[1-9]\d{7,14}$/).test(full) ? full : null
}

/** Indian numbers in the groups in which they are read; others as they are. */
export const readablePhone = (phone: string) => phone.replace(/^\+?91(\d{5})(\d{5})$/, '+91 $1 $2')
