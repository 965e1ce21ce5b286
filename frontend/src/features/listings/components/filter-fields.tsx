import { controlClass } from '@/components/ui/field'
import { cn } from '@/lib/cn'
import { useId, useState, type ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { parseAmount } from '../amount'
import { FLOORS, POSTED, type Filters } from '../filters'
import { AMENITIES, FURNISHINGS, GRADES, INTENTS, SUB_TYPES, TYPES } from '../labels'
import { number } from '../money'

export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>
type Change = (change: Partial<Filters>) => void
type Option = readonly [value: string, label: string]

/** One value out of some, or none. */
export function Choice({
  label,
  none,
  value,
  options,
  onChange,
  hideLabel = false,
}: {
  label: string
  none?: string
  value: string
  options: readonly Option[]
  onChange: (value: string) => void
  hideLabel?: boolean
}) {
  const id = useId()
  return (
    <div className="min-w-0 space-y-1.5">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={controlClass}
      >
        {none !== undefined && <option value="">{none}</option>}
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-semibold">{title}</legend>
      {children}
    </fieldset>
  )
}

function Tick({
  checked,
  onChange,
  children,
}: {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}) {
  return (
    <label
      className={cn(
        'flex min-h-11 cursor-pointer items-center gap-2 rounded-lg border px-3 text-sm',
        checked
          ? 'border-brand bg-blue-50 dark:border-blue-300 dark:bg-blue-950'
          : 'border-slate-300 dark:border-slate-600',
      )}
    >
      <input
        type="checkbox"
        className="size-4 accent-brand"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </label>
  )
}

/** Any of some values. */
function Ticks<T extends string>({
  values,
  words,
  counts,
  onChange,
}: {
  values: readonly T[]
  words: Readonly<Partial<Record<T, string>>>
  counts?: Readonly<Record<string, number>>
  onChange: (values: T[]) => void
}) {
  const { t } = useTranslation()
  return (
    <div className="flex flex-wrap gap-2">
      {(Object.entries(words) as Array<[T, string]>).map(([value, word]) => (
        <Tick
          key={value}
          checked={values.includes(value)}
          onChange={(checked) =>
            onChange(checked ? [...values, value] : values.filter((other) => other !== value))
          }
        >
          {t(word)}
          {counts && <span className="text-slate-600 dark:text-slate-400"> {counts[value] ?? 0}</span>}
        </Tick>
      ))}
    </div>
  )
}

/** An amount as people write it; what cannot be read is left in place, and said. */
function Amount({
  label,
  value,
  onChange,
}: {
  label: string
  value: number | null
  onChange: (value: number | null) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const [text, setText] = useState(value === null ? '' : number(value))
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    if (parseAmount(text) !== value) setText(value === null ? '' : number(value))
  }
  const wrong = text.trim() !== '' && parseAmount(text) === null
  return (
    <div className="min-w-0 space-y-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        inputMode="text"
        autoComplete="off"
        value={text}
        aria-invalid={wrong || undefined}
        aria-describedby={wrong ? `${id}-error` : undefined}
        onChange={(event) => {
          setText(event.target.value)
          const next = parseAmount(event.target.value)
          setKnown(next)
          onChange(next)
        }}
        className={cn(controlClass, wrong && 'border-red-600!')}
      />
      {wrong && (
        <p id={`${id}-error`} className="text-sm text-red-700 dark:text-red-300">
          {t('liAmountWrong')}
        </p>
      )}
    </div>
  )
}

const PARKING = ['1', '2', '5', '10'] as const
const options = (words: Readonly<Record<string, string>>, t: (key: string) => string): Option[] =>
  Object.entries(words).map(([value, word]) => [value, t(word)])

/** The known value of this text, or none. */
const known = <T extends string>(value: string, words: Readonly<Record<T, string>>) =>
  Object.hasOwn(words, value) ? (value as T) : ('' as const)

export const intentOf = (value: string) => known(value, INTENTS)

/** Every filter there is, for a sheet of its own. */
export function FilterFields({
  filters,
  counts,
  onChange,
}: {
  filters: Filters
  counts: Counts
  onChange: Change
}) {
  const { t } = useTranslation()
  const subTypes: Record<string, string> = Object.assign({}, ...filters.type.map((type) => SUB_TYPES[type]))
  const cities = Object.keys(counts.city ?? {})
  if (filters.city && !cities.includes(filters.city)) cities.push(filters.city)
  return (
    <div className="space-y-6">
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice
          label={t('liIntent')}
          none={t('liAnyIntent')}
          value={filters.for}
          options={options(INTENTS, t)}
          onChange={(value) => onChange({ for: intentOf(value) })}
        />
        <Choice
          label={t('city')}
          none={t('allCities')}
          value={filters.city}
          options={cities.sort().map((city) => [city, `${city} (${counts.city?.[city] ?? 0})`])}
          onChange={(city) => onChange({ city, locality: '' })}
        />
      </div>
      <Group title={t('fcType')}>
        <Ticks
          values={filters.type}
          words={TYPES}
          counts={counts.type}
          onChange={(type) =>
            onChange({
              type,
              sub: filters.sub.filter((sub) => type.some((each) => Object.hasOwn(SUB_TYPES[each], sub))),
            })
          }
        />
      </Group>
      {filters.type.length > 0 && (
        <Group title={t('fcSubType')}>
          <Ticks values={filters.sub} words={subTypes} onChange={(sub) => onChange({ sub })} />
        </Group>
      )}
      <Group title={t('liPrice')}>
        <div className="grid grid-cols-2 gap-4">
          <Amount label={t('liMin')} value={filters.min} onChange={(min) => onChange({ min })} />
          <Amount label={t('liMax')} value={filters.max} onChange={(max) => onChange({ max })} />
        </div>
        <p className="mt-1.5 text-sm text-slate-700 dark:text-slate-300">{t('liPriceHint')}</p>
      </Group>
      <Group title={t('liCarpet')}>
        <div className="grid grid-cols-2 gap-4">
          <Amount label={t('liMin')} value={filters.amin} onChange={(amin) => onChange({ amin })} />
          <Amount label={t('liMax')} value={filters.amax} onChange={(amax) => onChange({ amax })} />
        </div>
      </Group>
      <Group title={t('fcFurnishing')}>
        <Ticks
          values={filters.furn}
          words={FURNISHINGS}
          counts={counts.furnishing}
          onChange={(furn) => onChange({ furn })}
        />
      </Group>
      <div className="grid gap-4 sm:grid-cols-3">
        <Choice
          label={t('fcFloor')}
          none={t('liAny')}
          value={filters.floor}
          options={options(FLOORS, t)}
          onChange={(value) => onChange({ floor: known(value, FLOORS) })}
        />
        <Choice
          label={t('fcParkingCovered')}
          none={t('liAny')}
          value={filters.park === null ? '' : String(filters.park)}
          options={PARKING.map((count) => [count, t('liParking', { count: Number(count) })])}
          onChange={(value) => onChange({ park: value ? Number(value) : null })}
        />
        <Choice
          label={t('liPosted')}
          none={t('liAny')}
          value={filters.posted}
          options={options(POSTED, t)}
          onChange={(value) => onChange({ posted: known(value, POSTED) })}
        />
      </div>
      <Group title={t('fcGrade')}>
        <Ticks values={filters.grade} words={GRADES} onChange={(grade) => onChange({ grade })} />
      </Group>
      <Group title={t('liTrust')}>
        <div className="flex flex-wrap gap-2">
          <Tick checked={filters.ready} onChange={(ready) => onChange({ ready })}>
            {t('poReady')}{' '}
            <span className="text-slate-600 dark:text-slate-400">{counts.possession?.ready ?? 0}</span>
          </Tick>
          <Tick checked={filters.rera} onChange={(rera) => onChange({ rera })}>
            {t('liRera')}
          </Tick>
          <Tick checked={filters.verified} onChange={(verified) => onChange({ verified })}>
            {t('baVerified')}
          </Tick>
        </div>
      </Group>
      <Group title={t('cwAmenities')}>
        <Ticks values={filters.amen} words={AMENITIES} onChange={(amen) => onChange({ amen })} />
      </Group>
    </div>
  )
}
