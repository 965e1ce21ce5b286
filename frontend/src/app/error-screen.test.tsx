import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import i18next from 'i18next'
import en from '@/i18n/en.json'
import { ErrorScreen } from './error-screen'

void i18next.init({ lng: 'en', resources: { en: { translation: en } } })

it('says what happened, with an ID made of the time and three ways on', () => {
  vi.useFakeTimers({ now: 1_790_000_000_000 })
  const html = renderToStaticMarkup(<ErrorScreen error={new Error('secret detail')} />)
  vi.useRealTimers()
  expect(html).toContain('Something went wrong')
  expect(html).toContain('We encountered an unexpected error. Don&#x27;t worry, our team has been notified.')
  expect(html).toContain((1_790_000_000_000).toString(36).toUpperCase())
  for (const name of ['Try Again', 'Go to Homepage', 'Report This Issue']) expect(html).toContain(name)
  expect(html).not.toContain('secret detail')
})
