import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { messageFor } from '@/lib/errors'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { LayoutGrid, List, Map as MapIcon, SlidersHorizontal, X } from 'lucide-react'
import { needSection } from '@/i18n'
import { CardSkeletons } from '@/components/ui/card-skeletons'
import { useGradually } from '@/lib/use-gradually'
import { useHydrating } from '@/lib/hydrating'
import { usePageParams } from '@/lib/page-params'
import { lazy, Suspense, useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useNavigate } from 'react-router-dom'
import { facetsOptions } from '../api/get-facets'
import { searchOptions } from '../api/search'
import { describeFilter } from '../describe-filter'
import {
  activeFilters,
  filterKey,
  NONE,
  readFilters,
  SORTS,
  without,
  writeFilters,
  type Filters,
} from '../filters'
import { INTENTS, TYPES } from '../labels'
import { Choice, intentOf, type Counts } from './filter-fields'
import { FilterSheet } from './filter-sheet'
import { NothingFound } from './nothing-found'
import { Pagination } from './pagination'
import { PropertyCard } from './property-card'
import { SaveSearchButton } from '../saved/save-search-button'
import { SuggestBox } from './suggest-box'

const PropertyMap = lazy(async () => {
  const [{ PropertyMap: component }] = await Promise.all([import('../map/property-map'), needSection('map')])
  return { default: component }
})
const CompareTray = lazy(async () => {
  const [{ CompareTray: component }] = await Promise.all([import('./compare-tray'), needSection('compare')])
  return { default: component }
})

/** So many cards are seen at once, at most. */
const FIRST = 3

/** Apart, so that choosing the first renders no list. */
function Comparing() {
  const comparing = useAppStore((state) => state.comparisonList.length > 0)
  return <Suspense>{comparing && <CompareTray />}</Suspense>
}

/** What the page itself is about, without the address saying so. */
export type Fixed = Partial<Pick<Filters, 'type' | 'city'>>

const same = (a: readonly string[] | string, b: readonly string[] | string) => String(a) === String(b)

/** The filters of the address, and the way to others. Leaving what a page is about leads to the list of all. */
function useFilters(path: string, fixed: Fixed) {
  const [params] = usePageParams()
  const navigate = useNavigate()
  const read = readFilters(params)
  const filters: Filters = {
    ...read,
    ...(fixed.type && { type: fixed.type }),
    ...(fixed.city && { city: fixed.city }),
  }
  const addressOf = (next: Filters) => {
    const stays = (!fixed.type || same(next.type, fixed.type)) && (!fixed.city || same(next.city, fixed.city))
    const own = {
      ...next,
      ...(stays && fixed.type && { type: [] }),
      ...(stays && fixed.city && { city: '' }),
    }
    const query = writeFilters(own, params).toString()
    return `${stays ? path : '/commercial'}${query && `?${query}`}`
  }
  const go = (next: Filters) => void navigate(addressOf(next))
  return { params, filters, addressOf, go }
}

function Chips({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const { t } = useTranslation()
  const names = activeFilters(filters)
  const hydrating = useHydrating()
  if (names.length === 0) return hydrating && <div data-slot="chips-room" />
  return (
    <ul data-slot="chips" aria-label={t('liActive')} className="mt-4 flex flex-wrap gap-2">
      {names.map((name) => {
        const text = describeFilter(filters, name, t)
        return (
          <li key={name} className="min-w-0">
            <button
              type="button"
              aria-label={t('liRemove', { filter: text })}
              onClick={() => onChange(without(filters, name))}
              className="flex min-h-9 max-w-full items-center gap-1.5 rounded-full bg-blue-100 px-3 text-sm font-medium text-blue-950 hover:bg-blue-200 dark:bg-blue-950 dark:text-blue-100 dark:hover:bg-blue-900"
            >
              <span className="truncate">{text}</span> <X aria-hidden className="size-4 shrink-0" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

const VIEWS = {
  grid: { Icon: LayoutGrid, word: 'liGrid' },
  list: { Icon: List, word: 'liList' },
  map: { Icon: MapIcon, word: 'liMap' },
} as const
type View = keyof typeof VIEWS

function ViewSwitch({
  views,
  view,
  onChange,
}: {
  views: readonly View[]
  view: View
  onChange: (view: View) => void
}) {
  const { t } = useTranslation()
  return (
    <div role="group" aria-label={t('liView')} className="flex max-sm:hidden">
      {views.map((each) => {
        const { Icon, word } = VIEWS[each]
        return (
          <button
            key={each}
            type="button"
            aria-label={t(word)}
            aria-pressed={view === each}
            onClick={() => onChange(each)}
            className={cn(
              'flex size-11 items-center justify-center border border-slate-400 not-first:border-l-0 first:rounded-l-lg last:rounded-r-lg dark:border-slate-500',
              view === each && 'bg-brand text-white',
            )}
          >
            <Icon aria-hidden className="size-5" />
          </button>
        )
      })}
    </div>
  )
}

/** The list of properties with all that narrows and orders it. The address holds every choice. */
export function PropertyList({ path, fixed = {} }: { path: string; fixed?: Fixed }) {
  const { t } = useTranslation()
  const { params, filters, addressOf, go } = useFilters(path, fixed)
  const [sheet, setSheet] = useState(false)
  const top = useRef<HTMLDivElement>(null)
  const enabled = !useHydrating()
  const query = useQuery({ ...searchOptions(filters), enabled })
  const { error, isFetching, isPlaceholderData } = query
  // Rendering many cards gives way to whoever types or touches meanwhile.
  const data = useDeferredValue(query.data)
  const isPending = !data && !error
  const rendered = useGradually(data?.properties ?? [], FIRST)
  const facets = useQuery({ ...facetsOptions(filters.q), enabled })
  const { data: known } = facets
  const counts: Counts = known ?? {}
  // Nothing is counted as none before it was counted.
  const numberOf = (facet: string, value: string) => (known ? ` (${known[facet]?.[value] ?? 0})` : '')
  const again = () => {
    void query.refetch()
    if (facets.error) void facets.refetch()
  }
  // A category is a page to read; the map belongs to the search.
  const views: readonly View[] = fixed.type ? ['grid', 'list'] : ['grid', 'list', 'map']
  const view = views.find((each) => each === params.get('view')) ?? 'grid'
  const [lit, setLit] = useState<string | null>(null)
  const key = filterKey(filters)
  useEffect(() => {
    useAppStore.setState({ searchFilters: Object.fromEntries(new URLSearchParams(key)) })
  }, [key])
  const change = (part: Partial<Filters>) => go({ ...filters, ...part, page: 1 })
  const navigate = useNavigate()
  const setView = (next: View) => {
    const query = new URLSearchParams(params)
    if (next === 'grid') query.delete('view')
    else query.set('view', next)
    void navigate(`${path}?${query}`, { replace: true })
  }
  const setBox = (bbox: string) => {
    // A map is moved in many small steps, none of which is one to come back to.
    void navigate(addressOf({ ...filters, bbox, page: 1 }), { replace: true })
  }
  const cities = Object.keys(counts.city ?? {})
  if (filters.city && !cities.includes(filters.city)) cities.push(filters.city)
  const names = activeFilters(filters)
  const sortChoice = (hideLabel: boolean) => (
    <Choice
      label={t('cwSort')}
      none={t('liRelevance')}
      value={filters.sort}
      hideLabel={hideLabel}
      options={Object.entries(SORTS).map(([value, word]) => [value, t(word)])}
      onChange={(value) => change({ sort: Object.hasOwn(SORTS, value) ? (value as keyof typeof SORTS) : '' })}
    />
  )
  return (
    <div ref={top} data-slot="property-list" className="scroll-mt-20">
      <SuggestBox text={filters.q} onSearch={change} />
      <div className="mt-4 grid gap-4 max-md:hidden md:grid-cols-[1fr_1fr_1fr_auto]">
        <Choice
          label={t('liIntent')}
          none={t('liAnyIntent')}
          hideLabel
          value={filters.for}
          options={Object.entries(INTENTS).map(([value, word]) => [value, t(word)])}
          onChange={(value) => change({ for: intentOf(value) })}
        />
        <Choice
          label={t('fcType')}
          none={t(filters.type.length > 1 ? 'liSeveralTypes' : 'liAnyType')}
          hideLabel
          value={filters.type.length === 1 ? (filters.type[0] ?? '') : ''}
          options={Object.entries(TYPES).map(([value, word]) => [
            value,
            `${t(word)}${numberOf('type', value)}`,
          ])}
          onChange={(value) =>
            change({ type: readFilters(new URLSearchParams({ type: value })).type, sub: [] })
          }
        />
        <Choice
          label={t('city')}
          none={t('allCities')}
          hideLabel
          value={filters.city}
          options={cities.sort().map((city) => [city, `${city}${numberOf('city', city)}`])}
          onChange={(city) => change({ city, locality: '' })}
        />
        <Button variant="outline" onClick={() => setSheet(true)}>
          <SlidersHorizontal aria-hidden className="size-4" /> {t('liMore')}
        </Button>
      </div>
      <Chips filters={filters} onChange={go} />
      <SaveSearchButton filters={filters} />
      {isPending ? (
        <>
          <p role="status" className="my-6">
            {t('liLoading')}
          </p>
          <CardSkeletons />
        </>
      ) : error || !data ? (
        <div className="py-16 text-center">
          <h2 className="text-2xl font-semibold">{t('liFailed')}</h2>
          <p role="alert" className="mt-2">
            {messageFor(error)}
          </p>
          <Button className="mt-6" disabled={isFetching} onClick={again}>
            {t('cwRetry')}
          </Button>
        </div>
      ) : data.total === 0 && view !== 'map' ? (
        <NothingFound filters={filters} onChange={go} onClear={() => go({ ...NONE, sort: filters.sort })} />
      ) : (
        <>
          <div className="my-6 flex flex-wrap items-center justify-between gap-4">
            <p role="status">
              <strong>{t('liCount', { count: data.total })}</strong>
              {data.pages > 1 && ` · ${t('liPageOf', { page: data.page, pages: data.pages })}`}
            </p>
            <div className="flex items-center gap-3 max-md:hidden">
              {sortChoice(true)}
              <ViewSwitch views={views} view={view} onChange={setView} />
            </div>
          </div>
          <div className={cn(view === 'map' && 'lg:grid lg:grid-cols-2 lg:gap-6')}>
            {view === 'map' && (
              <div className="fixed inset-x-0 top-16 bottom-0 z-30 flex flex-col lg:sticky lg:top-20 lg:order-last lg:z-0 lg:h-[calc(100dvh-6rem)]">
                <Suspense fallback={<div className="grow animate-pulse bg-slate-200 dark:bg-slate-800" />}>
                  <PropertyMap
                    filters={filters}
                    lit={lit}
                    onLight={setLit}
                    onBox={setBox}
                    className="min-h-0 grow overflow-hidden lg:rounded-2xl"
                  />
                </Suspense>
                <div className="grid grid-cols-2 gap-3 border-t border-slate-200 bg-white p-3 lg:hidden dark:border-slate-800 dark:bg-slate-950">
                  <Button variant="outline" onClick={() => setSheet(true)}>
                    <SlidersHorizontal aria-hidden className="size-4" /> {t('liFilter')}
                    {names.length > 0 && ` (${names.length})`}
                  </Button>
                  <Button onClick={() => setView('grid')}>
                    <LayoutGrid aria-hidden className="size-4" /> {t('liShowList')}
                  </Button>
                </div>
              </div>
            )}
            <div className="min-w-0">
              {data.total === 0 && (
                <NothingFound
                  filters={filters}
                  onChange={go}
                  onClear={() => go({ ...NONE, sort: filters.sort })}
                />
              )}
              <div
                aria-busy={isPlaceholderData}
                className={cn(
                  'grid gap-6 transition-opacity',
                  view === 'grid' && 'sm:grid-cols-2 lg:grid-cols-3',
                  // Not so far that it could not be read.
                  isPlaceholderData && 'opacity-85',
                )}
              >
                {rendered.map((property, index) => (
                  <div
                    key={property.id}
                    className={cn(
                      'grid min-w-0 rounded-2xl',
                      lit === property.id && 'ring-4 ring-amber-600 dark:ring-amber-400',
                    )}
                    {...(view === 'map' && {
                      onMouseEnter: () => setLit(property.id),
                      onMouseLeave: () => setLit(null),
                      onFocus: () => setLit(property.id),
                      onBlur: () => setLit(null),
                    })}
                  >
                    <PropertyCard property={property} eager={index < FIRST} wide={view !== 'grid'} />
                  </div>
                ))}
              </div>
              <Pagination
                page={data.page}
                pages={data.pages}
                to={(page) => addressOf({ ...filters, page })}
                onGo={() => top.current?.scrollIntoView()}
              />
            </div>
          </div>
        </>
      )}
      <Comparing />
      <div
        data-slot="list-bar"
        className="sticky bottom-0 z-20 -mx-4 mt-10 grid grid-cols-[1fr_1fr_auto] gap-3 border-t border-slate-200 bg-white p-3 sm:-mx-6 md:hidden dark:border-slate-800 dark:bg-slate-950"
      >
        <Button variant="outline" onClick={() => setSheet(true)}>
          <SlidersHorizontal aria-hidden className="size-4" /> {t('liFilter')}
          {names.length > 0 && ` (${names.length})`}
        </Button>
        {sortChoice(true)}
        {views.includes('map') && (
          <Button variant="outline" size="icon" aria-label={t('liMap')} onClick={() => setView('map')}>
            <MapIcon aria-hidden className="size-5" />
          </Button>
        )}
      </div>
      {sheet && (
        <FilterSheet filters={filters} counts={counts} onApply={go} onClose={() => setSheet(false)} />
      )}
    </div>
  )
}
