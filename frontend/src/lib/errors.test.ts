import { expect, it } from 'vitest'
import { errorHistory, messageFor, normaliseError, reportError } from './errors'
import { shouldRetryRead } from './query-client'

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
