import type { TFunction } from 'i18next'
import type { DetailedProperty } from './api/get-property'
import { factsOf, termsOf } from './facts'
import { AMENITIES, amenitiesOf, INTENTS, OWNERSHIPS, POSSESSIONS } from './labels'
import { efficiency, leaseCost, rate, rupees, shortPrice } from './money'

export const MOST = 3
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The properties that an address compares: known ids, each once, and no more than the table has room for. */
export const readIds = (text: string | null) =>
  [...new Set((text ?? '').toLowerCase().split(','))].filter((id) => ID.test(id)).slice(0, MOST)

export const compareAddress = (ids: readonly string[]) =>
  ids.length ? `/compare?ids=${ids.join(',')}` : '/compare'

export type Row = {
  key: string
  label: string
  values: ReadonlyArray<string | null>
  /** Which of them are the best, and the key of the word for it. */
  best: readonly number[]
  word: 'cmLowest' | 'cmLargest'
  differs: boolean
}

type Measure = (property: DetailedProperty) => number | null
const MEASURES: Readonly<Record<string, { of: Measure; word: Row['word'] }>> = {
  cmPrice: { of: ({ price }) => price, word: 'cmLowest' },
  cmRate: { of: ({ price_per_sqft: each }) => each, word: 'cmLowest' },
  cmMonthly: { of: (property) => leaseCost(property)?.total ?? null, word: 'cmLowest' },
  cmDeposit: { of: (property) => leaseCost(property)?.deposit ?? null, word: 'cmLowest' },
  fcCarpet: { of: ({ carpet_area: area }) => area, word: 'cmLargest' },
  fcBuiltUp: { of: ({ built_up_area: area }) => area, word: 'cmLargest' },
  fcEfficiency: { of: efficiency, word: 'cmLargest' },
}
/** A rent and a price are not cheaper than one another. */
const SAME_INTENT = ['cmPrice', 'cmRate']

/** The best of some figures, if they are not all the same. */
export function bestOf(figures: ReadonlyArray<number | null>, word: Row['word']) {
  const known = figures.filter((figure) => figure !== null)
  if (known.length < 2 || new Set(known).size === 1) return []
  const best = word === 'cmLowest' ? Math.min(...known) : Math.max(...known)
  return figures.flatMap((figure, index) => (figure === best ? [index] : []))
}

/** What is known about each, a line for each thing that is known about any. */
export function compareRows(properties: readonly DetailedProperty[], t: TFunction): Row[] {
  const known = properties.map((property) => {
    const lines = new Map<string, readonly [label: string, value: string]>()
    const add = (key: string, value: string | null | undefined) => value && lines.set(key, [t(key), value])
    const cost = leaseCost(property)
    add('cmIntent', t(INTENTS[property.intent]))
    add('cmPrice', property.price === null ? t('onRequest') : shortPrice(property.price))
    add('cmRate', property.price_per_sqft === null ? null : rate(property.price_per_sqft))
    add('cmMonthly', cost && rupees(cost.total))
    add('cmDeposit', cost?.deposit ? rupees(cost.deposit) : null)
    for (const { key, label, value } of [...factsOf(property, t), ...termsOf(property, t)])
      if (key !== 'teDeposit') lines.set(key, [label, value])
    add('cmPossession', property.possession && t(POSSESSIONS[property.possession]))
    add('cmOwnership', property.ownership && t(OWNERSHIPS[property.ownership]))
    add('baRera', property.rera_number)
    add(
      'cwAmenities',
      amenitiesOf(property.amenities)
        .map((name) => t(AMENITIES[name] ?? name))
        .join(', '),
    )
    return lines
  })
  const keys = [...new Set(known.flatMap((lines) => [...lines.keys()]))]
  const oneIntent = new Set(properties.map(({ intent }) => intent)).size === 1
  return keys.map((key) => {
    const values = known.map((lines) => lines.get(key)?.[1] ?? null)
    const measure = SAME_INTENT.includes(key) && !oneIntent ? undefined : MEASURES[key]
    const word = measure?.word ?? 'cmLowest'
    return {
      key,
      label: known.map((lines) => lines.get(key)?.[0]).find(Boolean) ?? key,
      values,
      best: measure ? bestOf(properties.map(measure.of), word) : [],
      word,
      differs: new Set(values).size > 1,
    }
  })
}
