import { describe, expect, it } from 'vitest'
import en from '@/i18n/listing/en.json'
import { nameOfPaper, pathOfPaper } from '../api/papers'
import { quartiles } from '../hint'
import { checkFile, KINDS_OF_UPLOAD, typeOfFile } from './check-file'
import { fitWithin } from './size'

const bytes = (...parts: (number[] | string)[]) =>
  new Blob(parts.map((part) => (typeof part === 'string' ? part : new Uint8Array(part))))
const JPEG = [0xff, 0xd8, 0xff, 0xe0]

describe('what may be uploaded (D45)', () => {
  it.each([
    ['image/jpeg', bytes(JPEG)],
    ['image/png', bytes([0x89], 'PNG\r\n', [0x1a], '\n')],
    ['image/webp', bytes('RIFF', [1, 2, 3, 4], 'WEBPVP8 ')],
    ['image/avif', bytes([0, 0, 0, 32], 'ftypavif')],
    ['application/pdf', bytes('%PDF-1.7')],
    [null, bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [null, bytes('')],
  ])('%s is told by its first bytes', async (type, file) => expect(await typeOfFile(file)).toBe(type))

  it('says why, in the words of the product (R104, R105)', async () => {
    const refused = async (kind: 'photo' | 'paper', file: Blob) => {
      const answer = await checkFile(kind, file)
      return 'refused' in answer ? en[answer.refused as keyof typeof en] : answer.type
    }
    expect(await refused('photo', bytes('GIF89a'))).toBe(
      'Invalid file type. Please upload JPG, PNG, WebP or AVIF images.',
    )
    const large = new Blob([new Uint8Array(JPEG), new Uint8Array(KINDS_OF_UPLOAD.photo.most)])
    expect(await refused('photo', large)).toBe('File is too large. Maximum size is 10 MB.')
    expect(await refused('photo', bytes('%PDF-1.7'))).toMatch(/^Invalid file type/)
    expect(await refused('paper', large)).toBe('image/jpeg')
  })
})

it('makes a photo smaller, never larger', () => {
  expect(fitWithin({ width: 4000, height: 3000 }, 1920)).toEqual({ width: 1920, height: 1440 })
  expect(fitWithin({ width: 3000, height: 6000 }, 1920)).toEqual({ width: 960, height: 1920 })
  expect(fitWithin({ width: 800, height: 600 }, 1920)).toEqual({ width: 800, height: 600 })
})

it('keeps the name of a paper behind what makes its path unique', () => {
  const path = pathOfPaper('user/listing', 'Sale deed #4 – விற்பனை.pdf')
  expect(path).toMatch(/^user\/listing\/[0-9a-f-]{36}_[\w.() -]+\.pdf$/)
  expect(nameOfPaper(path.split('/')[2] ?? '')).toMatch(/^Sale deed .*\.pdf$/)
})

it('takes the middle half of the prices for what is usual (U6)', () => {
  expect(quartiles([])).toBeNull()
  expect(quartiles([40, 50, 60, 70, 1000])).toEqual({ low: 50, high: 70 })
  expect(quartiles([45])).toEqual({ low: 45, high: 45 })
})
