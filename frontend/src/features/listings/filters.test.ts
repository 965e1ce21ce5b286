import { describe, expect, it } from 'vitest'
import { activeFilters, NONE, pageNumbers, readFilters, without, writeFilters } from './filters'

const read = (query: string) => readFilters(new URLSearchParams(query))

describe('the address of a search', () => {
  it.each([
    'q=corner+shop&for=lease&type=office%2Cretail&city=Chennai&locality=Guindy&min=50000&max=200000',
    'amin=500&amax=2000&furn=furnished&floor=ground&park=2&grade=a_plus%2Ca&ready=1&rera=1&verified=1',
    'sub=it_park&amen=wifi%2Cgym&posted=30&bbox=76.9%2C10.9%2C77.1%2C11.1&sort=price_asc&page=3',
  ])('%s comes back as it was', (query) => expect(writeFilters(read(query)).toString()).toBe(query))

  it('ignores what it does not know', () => {
    expect(
      read(
        'for=steal&type=castle&min=-3&max=1e9&furn=&floor=9&park=x&grade=z&ready=yes&posted=1&sort=up&page=0&bbox=a',
      ),
    ).toEqual(NONE)
    expect(read('type=office,castle,office').type).toEqual(['office'])
    expect(read('for=buy').for).toBe('sale')
  })

  it('keeps what is not about filters, and has no number for the first page', () => {
    const params = writeFilters({ ...NONE, city: 'Pune' }, new URLSearchParams('view=list&city=Salem&page=4'))
    expect(params.toString()).toBe('view=list&city=Pune')
  })
})

describe('filters in use', () => {
  it('are told apart from what the page is about', () => {
    const filters = read('type=office&city=Chennai&rera=1&sort=newest&page=2')
    expect(activeFilters(filters)).toEqual(['type', 'city', 'rera'])
    expect(activeFilters(filters, ['type', 'city'])).toEqual(['rera'])
  })
  it('take with them what hangs on them, and lead back to the first page', () => {
    const filters = read('type=office&sub=it_park&city=Chennai&locality=Guindy&page=3')
    expect(without(filters, 'city')).toMatchObject({ city: '', locality: '', sub: ['it_park'], page: 1 })
    expect(without(filters, 'type')).toMatchObject({ type: [], sub: [], locality: 'Guindy' })
  })
})

it.each([
  [1, 1, [1]],
  [1, 3, [1, 2, 3]],
  [1, 8, [1, 2, null, 8]],
  [4, 8, [1, 2, 3, 4, 5, null, 8]],
  [5, 9, [1, null, 4, 5, 6, null, 9]],
  [8, 8, [1, null, 7, 8]],
])('page %d of %d offers %j', (page, last, numbers) => expect(pageNumbers(page, last)).toEqual(numbers))
