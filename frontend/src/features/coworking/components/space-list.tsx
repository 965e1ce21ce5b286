import { Button, buttonVariants } from '@/components/ui/button'
import { controlClass } from '@/components/ui/field'
import { CardSkeletons } from '@/components/ui/card-skeletons'
import { Spinner } from '@/components/ui/spinner'
import { messageFor } from '@/lib/errors'
import { useGradually } from '@/lib/use-gradually'
import { useHydrating } from '@/lib/hydrating'
import { usePageParams } from '@/lib/page-params'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { citiesOptions, spacesOptions } from '../api/get-spaces'
import { applyFilters, BUDGETS, readFilters, SORTS } from '../filter'
import { AMENITIES, cardPrice, OFFERINGS } from '../format'
import { SpaceCard } from './space-card'

/** So many cards are seen at once, at most. */
const FIRST = 3

type Choice = readonly [value: string, label: string]

/** The router shows a new address only after it rendered; the letters typed must not wait for that. */
function SearchBox({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  const [sent, setSent] = useState<readonly string[]>([])
  if (known !== text) {
    setKnown(text)
    const own = sent.indexOf(text)
    setSent(own < 0 ? [] : sent.slice(own))
    // What was not typed here came from "back" or "Clear Filters".
    if (own < 0) setTyped(text)
  }
  return (
    <input
      type="search"
      aria-label={t('cwSearch')}
      placeholder={t('cwSearch')}
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value)
        setSent([...sent, target.value])
        onChange(target.value)
      }}
      className={controlClass}
    />
  )
}

function Choices({
  label,
  none,
  value,
  choices,
  onChange,
}: {
  label: string
  none: string
  value: string
  choices: readonly Choice[]
  onChange: (value: string) => void
}) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={controlClass}
    >
      <option value="">{none}</option>
      {choices.map(([choice, text]) => (
        <option key={choice} value={choice}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** A city's own answer holds that city only; the others come from the whole list, or are asked for. */
function useCities(city: string, loaded: ReadonlyArray<{ city: string }>) {
  const whole = useQueryClient().getQueryData(spacesOptions('').queryKey)
  const { data: asked } = useQuery({ ...citiesOptions, enabled: city !== '' && !whole })
  const known = whole ? whole.map((space) => space.city) : (asked ?? [])
  return [...new Set([...known, ...loaded.map((space) => space.city), city])].filter(Boolean).sort()
}

export function SpaceList() {
  const { t } = useTranslation()
  const [params, setParams] = usePageParams()
  const filters = readFilters(params)
  const { text, city } = filters
  const hydrating = useHydrating()
  const { data, error, isPending, isFetching, refetch } = useQuery({
    ...spacesOptions(city),
    enabled: !hydrating,
  })
  const cities = useCities(city, data ?? [])
  // A choice is a step that "back" undoes; typing is not.
  const change = (name: string, value: string, replace = false) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace },
    )
  const shown = applyFilters(data ?? [], filters)
  const rendered = useGradually(shown, FIRST)
  const filtered = Boolean(text.trim() || city || filters.type || filters.amenity || filters.max)
  const label = ([value, key]: [string, string]): Choice => [value, t(key)]
  return (
    <>
      <form role="search" onSubmit={(event) => event.preventDefault()}>
        <div className="grid gap-4 sm:grid-cols-[1fr_16rem]">
          <SearchBox text={text} onChange={(value) => change('q', value, true)} />
          <Choices
            label={t('city')}
            none={t('allCities')}
            value={city}
            choices={cities.map((name) => [name, name])}
            onChange={(value) => change('city', value)}
          />
        </div>
        <fieldset className="mt-4 grid grid-cols-2 gap-4 lg:grid-cols-4">
          <legend className="sr-only">{t('cwFilters')}</legend>
          <Choices
            label={t('cwType')}
            none={t('cwAnyType')}
            value={filters.type}
            choices={Object.entries(OFFERINGS).map(label)}
            onChange={(value) => change('type', value)}
          />
          <Choices
            label={t('cwAmenity')}
            none={t('cwAnyAmenity')}
            value={filters.amenity}
            choices={Object.entries(AMENITIES).map(label)}
            onChange={(value) => change('amenity', value)}
          />
          <Choices
            label={t('cwBudget')}
            none={t('cwAnyBudget')}
            value={filters.max ? String(filters.max) : ''}
            choices={BUDGETS.map((max) => [String(max), t('cwUpTo', { price: cardPrice(max) })])}
            onChange={(value) => change('max', value)}
          />
          <Choices
            label={t('cwSort')}
            none={t('cwSortBest')}
            value={filters.sort}
            choices={Object.entries(SORTS).map(label)}
            onChange={(value) => change('sort', value)}
          />
        </fieldset>
      </form>
      {isPending ? (
        <>
          <div className="my-6 h-6">
            <Spinner size="sm" inline text={t('cwLoading')} />
          </div>
          <CardSkeletons />
        </>
      ) : shown.length === 0 ? (
        <div data-slot="nothing-found" className="py-20 text-center">
          <h2 className="text-2xl font-semibold">{t('cwEmpty')}</h2>
          {error ? (
            <p role="alert" className="mt-2">
              {messageFor(error)}
            </p>
          ) : (
            <p className="mt-2">{t(filtered ? 'cwAdjust' : 'cwNone')}</p>
          )}
          <div className="mt-6 flex flex-wrap justify-center gap-3">
            {error && (
              <Button disabled={isFetching} onClick={() => void refetch()}>
                {t('cwRetry')}
              </Button>
            )}
            {filtered && (
              <Button variant={error ? 'outline' : 'default'} onClick={() => setParams({})}>
                {t('clear')}
              </Button>
            )}
            {!error && !filtered && (
              <Link to="/commercial" className={buttonVariants()}>
                {t('commercial')}
              </Link>
            )}
          </div>
        </div>
      ) : (
        <>
          <p role="status" className="my-6">
            <strong>{t('cwCount', { count: shown.length })}</strong>
            {text.trim() && ` ${t('cwFor', { text: text.trim() })}`}
            {city && ` ${t('cwIn', { city })}`}
          </p>
          <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
            {rendered.map((space, index) => (
              <SpaceCard key={space.id} space={space} eager={index < FIRST} />
            ))}
          </div>
        </>
      )}
    </>
  )
}
