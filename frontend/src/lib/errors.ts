const SERVER = 'Server error occurred. Please try again later.'
const NETWORK = 'Connection failed. Please check your internet connection.'
const FORBIDDEN = 'You do not have permission to perform this action.'
const SIGN_IN = 'Please sign in to continue.'
const TIMED_OUT = 'The request timed out. Please try again.'
const EXPIRED = 'The verification link has expired. Please request a new one.'
const MISSING = 'The requested resource was not found.'

/** Source text (or status as text) to what a person reads; the order decides among substring hits. */
const TEXTS: ReadonlyArray<readonly [string, string]> = [
  ['Failed to fetch', NETWORK],
  ['NetworkError', NETWORK],
  ['Network request failed', NETWORK],
  ['Load failed', NETWORK],
  ['timed out', TIMED_OUT],
  ['Invalid login credentials', 'Email or password is incorrect. Please try again.'],
  ['Email not confirmed', 'Please verify your email address before signing in.'],
  ['User already registered', 'An account with this email already exists. Please sign in instead.'],
  ['Signups not allowed for this instance', 'Registration is currently disabled. Please contact support.'],
  ['email rate limit exceeded', 'Too many emails sent. Please wait a few minutes and try again.'],
  ['Token has expired or is invalid', EXPIRED],
  ['Email link is invalid or has expired', EXPIRED],
  ['Auth session missing', EXPIRED],
  ['User not found', 'No account found with this email address. Please check your email or sign up.'],
  ['already confirmed', 'This email address is already verified.'],
  ['missing confirmation token', 'This verification link is invalid. Please request a new one.'],
  ['Database error saving new user', 'There was a problem creating your account. Please try again.'],
  ['Password should be at least 6 characters', 'Password must be at least 6 characters long.'],
  ['invalid_email', 'Please enter a valid email address.'],
  ['invalid_phone', 'Please enter a valid phone number.'],
  ['too_short', 'This value is too short.'],
  ['too_long', 'This value is too long.'],
  ['500', SERVER],
  ['404', MISSING],
  ['403', FORBIDDEN],
  ['401', SIGN_IN],
]
const CODES: Readonly<Record<string, string>> = {
  required: 'This field is required.',
  invalid: 'Please enter a valid value.',
}
const LONG = 'An error occurred. Please try again or contact support if the problem persists.'

function lookUp(text: string) {
  const exact = CODES[text] ?? TEXTS.find(([source]) => source === text)?.[1]
  const lower = text.toLowerCase()
  return exact ?? TEXTS.find(([source]) => lower.includes(source.toLowerCase()))?.[1]
}

export function messageFor(error: unknown): string {
  const fields = typeof error === 'object' && error !== null ? error : {}
  const raw = typeof error === 'string' ? error : 'message' in fields ? fields.message : ''
  const status = 'status' in fields && typeof fields.status === 'number' ? fields.status : undefined
  // The client library replaces the body of 5xx auth answers by an empty object.
  const text = typeof raw === 'string' && raw !== '{}' ? raw : ''
  const known = text ? lookUp(text) : undefined
  if (known) return known
  if (status !== undefined && status >= 500) return SERVER
  if (!text) return (status !== undefined && lookUp(String(status))) || LONG
  return text.length > 100 ? LONG : text
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
  if (typeof error === 'string') return error
  const isObject = typeof error === 'object' && error !== null
  return isObject && 'message' in error && typeof error.message === 'string' ? error.message : ''
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
    return { ...base, code: 'NETWORK_ERROR', type: 'network', retryable: true, message: NETWORK }
  if (/validation|required/i.test(text))
    return {
      ...base,
      code: 'VALIDATION_ERROR',
      type: 'validation',
      retryable: false,
      message: 'Please check your input and try again.',
    }
  return {
    ...base,
    code: 'UNKNOWN_ERROR',
    type: isAboutSignIn(error) ? 'auth' : 'unknown',
    retryable: true,
    message: 'Something went wrong. Please try again.',
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
