import en from '@/i18n/en.json'
import errorTexts from '@/i18n/errors/en.json'
import i18next from 'i18next'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeFieldErrors } from './fields'
import { notifications, notify, REMOVE_AFTER } from './toast'

void i18next.init({
  lng: 'en',
  fallbackLng: 'en',
  interpolation: { escapeValue: false },
  resources: { en: { translation: { ...en, ...errorTexts } } },
})

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})
const shown = () => notifications().filter(({ open }) => open)

it.each([
  ['success', 4000],
  ['error', 6000],
  ['warning', 5000],
  ['info', 4000],
  ['loading', Infinity],
] as const)('shows %s for %d ms at the top right', (kind, duration) => {
  notify[kind]('words')
  expect(shown()).toMatchObject([{ kind, duration, position: 'top-right', message: 'words' }])
})

it('has one on screen, and replaces a loading one by how it went', () => {
  notify.loading('Saving')
  notify.success('Saved')
  expect(shown().map(({ message }) => message)).toEqual(['Saved'])
})

it('keeps a dismissed one in its state for a long while', () => {
  notify.info('first')
  notify.info('second')
  vi.advanceTimersByTime(REMOVE_AFTER - 1)
  expect(notifications().some(({ message }) => message === 'first')).toBe(true)
  vi.advanceTimersByTime(1)
  expect(notifications().some(({ message }) => message === 'first')).toBe(false)
})

it('lets the type of an error decide how it looks', () => {
  notify.typed('validation', 'a')
  expect(shown()).toMatchObject([{ kind: 'warning', message: 'a', variant: 'default' }])
  notify.typed('network', 'b')
  expect(shown()).toMatchObject([{ kind: 'error', message: '🌐 b', variant: 'destructive' }])
  notify.typed('auth', 'c')
  expect(shown()).toMatchObject([{ kind: 'error', message: '🔒 c' }])
  notify.typed('unknown', 'd')
  expect(shown()).toMatchObject([{ kind: 'error', message: 'd' }])
})

it('shows what can be tried again for longer', () => {
  notify.failure(new Error('Failed to fetch'))
  expect(shown()).toMatchObject([
    { message: '🌐 Connection failed. Please check your internet connection.', duration: 6000 },
  ])
  notify.failure(new Error('validation failed'))
  expect(shown()).toMatchObject([{ kind: 'warning', duration: 4000 }])
})

it('names the fields of a form that is not right', () => {
  expect(describeFieldErrors({ email: 'Please enter a valid email address.' })).toBe(
    'Email: Please enter a valid email address.',
  )
  notify.fields({ email: 'x' })
  expect(shown()).toMatchObject([{ kind: 'warning', duration: 4000 }])
  notify.fields({ fullName: 'This field is required.', phone: 'y' })
  expect(shown()).toMatchObject([
    {
      message: 'Please fix the following errors:\nFull name: This field is required.\nPhone: y',
      duration: 6000,
    },
  ])
})

it('offers to try a submission again', () => {
  notify.submission('profile', new Error('no'))
  expect(shown()).toMatchObject([{ message: 'Failed to submit profile: no', action: { label: 'Retry' } }])
})
