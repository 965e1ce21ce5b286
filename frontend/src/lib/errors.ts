import i18next from 'i18next'

/** Source text, or a status as text, to the key of what a person reads; the order decides among substring hits. */
const TEXTS: ReadonlyArray<readonly [string, string]> = [
  ['Failed to fetch', 'xeNetwork'],
  ['NetworkError', 'xeNetwork'],
  ['Network request failed', 'xeNetwork'],
  ['Load failed', 'xeNetwork'],
  ['timed out', 'xeTimedOut'],
  ['Invalid login credentials', 'xeCredentials'],
  ['Email not confirmed', 'xeUnconfirmed'],
  ['User already registered', 'xeExists'],
  ['Signups not allowed for this instance', 'xeClosed'],
  ['email rate limit exceeded', 'xeMails'],
  ['Token has expired or is invalid', 'xeExpired'],
  ['Email link is invalid or has expired', 'xeExpired'],
  ['Auth session missing', 'xeExpired'],
  ['User not found', 'xeNoUser'],
  ['already confirmed', 'xeVerified'],
  ['missing confirmation token', 'xeBadLink'],
  ['Database error saving new user', 'xeNotMade'],
  ['Password should be at least 6 characters', 'xePassword'],
  // What the rules of our own tables and functions say.
  ['not open for enquiries', 'xeClosedListing'],
  ['enquiry about your own listing', 'xeOwnListing'],
  ['at most 20 enquiries a day', 'xeEnquiries'],
  ['at most 20 images', 'xeImages'],
  ['The listing is not complete', 'xeIncomplete'],
  ['A listing cannot go from', 'xeState'],
  ['A rejection needs a reason', 'xeReason'],
  ['Too many messages', 'xeHour'],
  ['invalid_email', 'xeEmail'],
  ['invalid_phone', 'xePhone'],
  ['too_short', 'xeShort'],
  ['too_long', 'xeLong'],
  ['500', 'xeServer'],
  ['404', 'xeMissing'],
  ['403', 'xeForbidden'],
  ['401', 'xeSignIn'],
]

/** Key of what a person reads, and the codes that mean it: of fields, accounts, rows (SQLSTATE too) and files. */
const MEANINGS = [
  ['xeRequired', 'required'],
  ['xeInvalid', 'invalid validation_failed'],
  ['xeCredentials', 'invalid_credentials'],
  ['xeUnconfirmed', 'email_not_confirmed phone_not_confirmed'],
  ['xeExists', 'user_already_exists email_exists'],
  ['xePhoneExists', 'phone_exists'],
  ['xeClosed', 'signup_disabled otp_disabled'],
  ['xeWayClosed', 'email_provider_disabled phone_provider_disabled provider_disabled'],
  ['xeMails', 'over_email_send_rate_limit'],
  ['xeCodes', 'over_sms_send_rate_limit'],
  ['xeBusy', 'over_request_rate_limit SlowDown ResourceLocked 429'],
  ['xeExpired', 'otp_expired flow_state_expired flow_state_not_found'],
  ['xeNoUser', 'user_not_found'],
  ['xeSamePassword', 'same_password'],
  ['xeWeak', 'weak_password'],
  ['xeLocked', 'user_banned'],
  ['xeNoCode', 'sms_send_failed'],
  ['xeEmail', 'email_address_invalid email_address_not_authorized'],
  [
    'xeSignIn',
    'session_not_found session_expired refresh_token_not_found refresh_token_already_used bad_jwt no_authorization PGRST301 PGRST302 PGRST303 InvalidJWT',
  ],
  ['xeTimedOut', 'request_timeout hook_timeout 57014 DatabaseTimeout LockTimeout PGRST003'],
  ['xeServer', 'unexpected_failure PGRST000 PGRST001 PGRST002 InternalError'],
  ['xeForbidden', '42501 AccessDenied Unauthorized InvalidSignature'],
  ['xeMissing', 'PGRST116 P0002 NoSuchKey NoSuchBucket NoSuchUpload'],
  ['xeDuplicate', '23505 ResourceAlreadyExists KeyAlreadyExists Duplicate'],
  ['xeGone', '23503'],
  ['xeCheck', '23514 23502 22P02 22001 22003 22007 22008 22023'],
  ['xeTooLarge', 'EntityTooLarge request_entity_too_large 413'],
  ['xeFileType', 'InvalidMimeType 415'],
] as const
const CODES = new Map(
  MEANINGS.flatMap(([key, codes]) => codes.split(' ').map((code) => [code, key] as const)),
)

function lookUp(text: string) {
  const exact = CODES.get(text) ?? TEXTS.find(([source]) => source === text)?.[1]
  const lower = text.toLowerCase()
  return exact ?? TEXTS.find(([source]) => lower.includes(source.toLowerCase()))?.[1]
}

const fieldOf = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined

/** What a person reads of an error, in their language: by its text, then its code, then its status. */
export function messageFor(error: unknown): string {
  const raw = typeof error === 'string' ? error : fieldOf(error, 'message')
  const status = fieldOf(error, 'status')
  const code = fieldOf(error, 'code')
  // The client library replaces the body of 5xx auth answers by an empty object.
  const text = typeof raw === 'string' && raw !== '{}' ? raw : ''
  const known =
    (text && lookUp(text)) ||
    (typeof code === 'string' && CODES.get(code)) ||
    (typeof status === 'number' && (status >= 500 ? 'xeServer' : CODES.get(String(status))))
  if (known) return i18next.t(known)
  if (!text) return i18next.t((typeof status === 'number' && lookUp(String(status))) || 'xeAnything')
  return text.length > 100 ? i18next.t('xeAnything') : text
}

export type ErrorType = 'network' | 'validation' | 'auth' | 'unknown'
export type AppError = {
  code: string
  message: string
  type: ErrorType
  context?: string
  timestamp: number
  retryable: boolean
}

const history: AppError[] = []
export const errorHistory = (): readonly AppError[] => history

function textOf(error: unknown): string {
  const text = typeof error === 'string' ? error : fieldOf(error, 'message')
  return typeof text === 'string' ? text : ''
}

/** The client library names its auth errors so; the other services answer with a status alone. */
function isAboutSignIn(error: unknown) {
  if (typeof error !== 'object' || error === null) return false
  if ('name' in error && typeof error.name === 'string' && error.name.startsWith('Auth')) return true
  return 'status' in error && (error.status === 401 || error.status === 403)
}

export function normaliseError(error: unknown, context?: string): AppError {
  const text = textOf(error)
  const base = { context, timestamp: Date.now() }
  if (/fetch|network/i.test(text))
    return {
      ...base,
      code: 'NETWORK_ERROR',
      type: 'network',
      retryable: true,
      message: i18next.t('xeNetwork'),
    }
  if (/validation|required/i.test(text))
    return {
      ...base,
      code: 'VALIDATION_ERROR',
      type: 'validation',
      retryable: false,
      message: i18next.t('xeCheck'),
    }
  return {
    ...base,
    code: 'UNKNOWN_ERROR',
    type: isAboutSignIn(error) ? 'auth' : 'unknown',
    retryable: true,
    message: i18next.t('xeUnknown'),
  }
}

/** Keeps the last 100 and writes the code, never the person's data, to the console. */
export function reportError(error: unknown, context?: string): AppError {
  const entry = normaliseError(error, context)
  history.push(entry)
  if (history.length > 100) history.shift()
  console.error(entry.code)
  return entry
}
