import { Button } from '@/components/ui/button'
import { controlClass } from '@/components/ui/field'
import { Spinner } from '@/components/ui/spinner'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router-dom'
import { citiesOptions, spacesOptions } from '../api/get-spaces'
import { SpaceCard } from './space-card'

export function SpaceList() {
  const { t } = useTranslation()
  const [params, setParams] = useSearchParams()
  const text = params.get('q') ?? ''
  const city = params.get('city') ?? ''
  const { data, isPending } = useQuery(spacesOptions(city))
  // A city's own answer holds that city only; the others come from the whole list, or are asked for.
  const whole = useQueryClient().getQueryData(spacesOptions('').queryKey)
  const { data: asked } = useQuery({ ...citiesOptions, enabled: city !== '' && !whole })
  const known = whole ? whole.map((space) => space.city) : (asked ?? [])
  const cities = [...new Set([...known, ...(data ?? []).map((space) => space.city)])].filter(Boolean).sort()
  const change = (name: 'q' | 'city', value: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )
  const needle = text.trim().toLowerCase()
  const shown = (data ?? []).filter((space) =>
    [space.name, space.city, space.locality].some((part) => part?.toLowerCase().includes(needle)),
  )
  const filtered = Boolean(needle || city)
  const options = city && !cities.includes(city) ? [...cities, city].sort() : cities
  return (
    <>
      <form
        role="search"
        className="grid gap-4 sm:grid-cols-[1fr_16rem]"
        onSubmit={(event) => event.preventDefault()}
      >
        <input
          type="search"
          aria-label={t('cwSearch')}
          placeholder={t('cwSearch')}
          value={text}
          onChange={(event) => change('q', event.target.value)}
          className={controlClass}
        />
        <select
          aria-label={t('city')}
          value={city}
          onChange={(event) => change('city', event.target.value)}
          className={controlClass}
        >
          <option value="">{t('allCities')}</option>
          {options.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </form>
      {isPending ? (
        <Spinner text={t('cwLoading')} />
      ) : shown.length === 0 ? (
        <div className="py-20 text-center">
          <h2 className="text-2xl font-semibold">{t('cwEmpty')}</h2>
          <p className="mt-2">{t(filtered ? 'cwAdjust' : 'cwNone')}</p>
          {filtered && (
            <Button className="mt-6" onClick={() => setParams({}, { replace: true })}>
              {t('clear')}
            </Button>
          )}
        </div>
      ) : (
        <>
          <p role="status" className="my-6">
            <strong>{t('cwCount', { count: shown.length })}</strong>
            {needle && ` for "${text.trim()}"`}
            {city && ` in ${city}`}
          </p>
          <div className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
            {shown.map((space, index) => (
              <SpaceCard key={space.id} space={space} eager={index < 3} />
            ))}
          </div>
        </>
      )}
    </>
  )
}
