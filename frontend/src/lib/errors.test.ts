import en from '@/i18n/en.json'
import errorTexts from '@/i18n/errors/en.json'
import hi from '@/i18n/errors/hi.json'
import i18next from 'i18next'
import { expect, it } from 'vitest'
import { errorHistory, messageFor, normaliseError, reportError } from './errors'
import { describeFieldErrors } from './fields'
import { shouldRetryRead } from './query-client'

void i18next.init({
  lng: 'en',
  fallbackLng: 'en',
  interpolation: { escapeValue: false },
  resources: { en: { translation: { ...en, ...errorTexts } }, hi: { translation: hi } },
})

it.each([
  ['TypeError: failed to FETCH', 'Connection failed. Please check your internet connection.'],
  ['Invalid login credentials', 'Email or password is incorrect. Please try again.'],
  ['required', 'This field is required.'],
  ['Short and unknown', 'Short and unknown'],
  ['x'.repeat(101), 'An error occurred. Please try again or contact support if the problem persists.'],
])('%s', (source, shown) => expect(messageFor(source)).toBe(shown))

it('uses the status when the client lost the body', () => {
  expect(messageFor({ message: '{}', status: 503 })).toBe('Server error occurred. Please try again later.')
  expect(messageFor({ message: '', status: 403 })).toBe('You do not have permission to perform this action.')
})

it('classifies and keeps the last hundred', () => {
  expect(normaliseError(new Error('Failed to fetch')).code).toBe('NETWORK_ERROR')
  expect(normaliseError('name is required').retryable).toBe(false)
  for (let index = 0; index < 105; index++) reportError('odd')
  expect(errorHistory()).toHaveLength(100)
})

it('never repeats a read the server refused', () => {
  expect(shouldRetryRead(0, { status: 404 })).toBe(false)
  expect(shouldRetryRead(2, { status: 500 })).toBe(true)
  expect(shouldRetryRead(3, { status: 500 })).toBe(false)
})

it.each([
  ['NetworkError when attempting', 'Connection failed. Please check your internet connection.'],
  ['Email not confirmed', 'Please verify your email address before signing in.'],
  ['User already registered', 'An account with this email already exists. Please sign in instead.'],
  ['Signups not allowed for this instance', 'Registration is currently disabled. Please contact support.'],
  ['Email rate limit exceeded', 'Too many emails sent. Please wait a few minutes and try again.'],
  ['Token has expired or is invalid', 'The verification link has expired. Please request a new one.'],
  ['User not found', 'No account found with this email address. Please check your email or sign up.'],
  ['Email already confirmed', 'This email address is already verified.'],
  ['Database error saving new user', 'There was a problem creating your account. Please try again.'],
  ['Password should be at least 6 characters.', 'Password must be at least 6 characters long.'],
  ['signal timed out', 'The request timed out. Please try again.'],
  ['404', 'The requested resource was not found.'],
  ['401', 'Please sign in to continue.'],
  ['invalid', 'Please enter a valid value.'],
  ['too_short', 'This value is too short.'],
])('maps %s', (source, shown) => expect(messageFor(new Error(source))).toBe(shown))

it('reads errors that are plain objects, and tells those about signing in', () => {
  expect(normaliseError({ message: 'TypeError: Failed to fetch' }).type).toBe('network')
  expect(normaliseError({ message: 'JWT expired', status: 401 })).toMatchObject({
    type: 'auth',
    code: 'UNKNOWN_ERROR',
    retryable: true,
  })
  expect(normaliseError(undefined).message).toBe('Something went wrong. Please try again.')
})

it.each([
  [
    { message: 'new row violates row-level security', code: '42501', status: 403 },
    'You do not have permission to perform this action.',
  ],
  [
    { message: 'duplicate key value violates unique constraint', code: '23505', status: 409 },
    'This already exists.',
  ],
  [
    { message: 'New password should be different', code: 'same_password', status: 422 },
    'The new password must differ from the old one.',
  ],
  [
    { message: 'The object exceeded the maximum allowed size', code: 'EntityTooLarge', status: 413 },
    'The file is too large.',
  ],
  [
    { message: 'mime type text/plain is not supported', code: 'InvalidMimeType', status: 415 },
    'This type of file is not accepted.',
  ],
  [{ message: 'JWT expired', code: 'PGRST303', status: 401 }, 'Please sign in to continue.'],
  // The text of a rule says more than the code that all rules share.
  [
    { message: 'This listing is not open for enquiries.', code: '23514', status: 400 },
    'This listing is not open for enquiries.',
  ],
  [{ message: 'slow down', status: 429 }, 'Too many requests. Please wait a moment and try again.'],
])('reads the code of $code', (error, shown) => expect(messageFor(error)).toBe(shown))

it('says it in the language of the page', async () => {
  await i18next.changeLanguage('hi')
  expect(messageFor('Failed to fetch')).toBe(hi.xeNetwork)
  expect(messageFor({ message: 'x'.repeat(200) })).toBe(hi.xeAnything)
  expect(describeFieldErrors({ email: messageFor('invalid_email') })).toBe(`${hi.fdEmail}: ${hi.xeEmail}`)
  await i18next.changeLanguage('en')
})
