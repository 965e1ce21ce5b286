import { Button } from '@/components/ui/button'
import { Failure } from '@/components/ui/failure'
import { cn } from '@/lib/cn'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useNavigate } from 'react-router-dom'
import { listingKeys } from '../api/keys'
import { MOST_PINS, pinsOptions } from '../api/search'
import { filterKey, type Filters } from '../filters'
import { shortPrice } from '../money'
import { readBox, writeBox, type Pin } from './cluster'
import { drawMap, type DrawnMap } from './draw'

type Props = {
  filters: Filters
  lit: string | null
  onLight: (id: string | null) => void
  onBox: (bbox: string) => void
  className?: string
}

/** The results on a map. The list beside it says the same in words. */
export function PropertyMap({ filters, lit, onLight, onBox, className }: Props) {
  const { t, language } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const element = useRef<HTMLDivElement>(null)
  const drawn = useRef<DrawnMap>(undefined)
  const [following, setFollowing] = useState(true)
  const [moved, setMoved] = useState(false)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(pinsOptions(filters))
  // What the map calls back to is of the latest render, while the map itself stays the same.
  const now = useRef({ following, onBox, onLight })
  useEffect(() => {
    now.current = { following, onBox, onLight }
  })
  useEffect(() => {
    if (!element.current) return
    const map = drawMap(element.current, {
      words: {
        pin: ({ title, price }: Pin) =>
          `${title ?? ''}, ${price === null ? t('onRequest') : shortPrice(price)}`,
        cluster: (count) => t('mpCluster', { count }),
        more: (count) => t('mpMore', { count }),
        zoomIn: t('mpZoomIn'),
        zoomOut: t('mpZoomOut'),
      },
      box: readBox(new URLSearchParams(window.location.search).get('bbox') ?? ''),
      isVisited: ({ slug }) => client.getQueryData(listingKeys.detail(slug)) !== undefined,
      onOpen: ({ slug }) => void navigate(`/property/${encodeURIComponent(slug)}`),
      onMove: (box) => (now.current.following ? now.current.onBox(writeBox(box)) : setMoved(true)),
      onLight: (id) => now.current.onLight(id),
    })
    drawn.current = map
    const watch = new ResizeObserver(() => map.resized())
    watch.observe(element.current)
    return () => {
      watch.disconnect()
      map.remove()
      drawn.current = undefined
    }
  }, [t, language, client, navigate])
  // Other filters lead to other places; the same within an area that somebody chose stay where they are.
  const fitted = useRef<string | null>(null)
  const subject = filterKey({ ...filters, sort: '', page: 1, bbox: '' })
  useEffect(() => {
    if (!data || isPlaceholderData) return
    const fit = !filters.bbox && fitted.current !== subject
    fitted.current = subject
    drawn.current?.setPins(data.pins, fit)
  }, [data, isPlaceholderData, filters.bbox, subject, language])
  useEffect(() => drawn.current?.light(lit), [lit])
  const reset = () => {
    fitted.current = null
    setMoved(false)
    onBox('')
  }
  const box = 'rounded-lg bg-white/95 shadow dark:bg-slate-900/95'
  return (
    <div data-slot="property-map" className={cn('relative isolate', className)}>
      <div
        ref={element}
        role="region"
        aria-label={t('mpMap')}
        aria-busy={isFetching}
        className="property-map size-full"
      />
      <div className="pointer-events-none absolute top-3 right-16 left-3 z-[500] flex flex-wrap gap-2 *:pointer-events-auto">
        <label
          className={cn(box, 'flex min-h-11 cursor-pointer items-center gap-2 px-3 text-sm font-medium')}
        >
          <input
            type="checkbox"
            className="size-4 accent-brand"
            checked={following}
            onChange={({ target }) => {
              setFollowing(target.checked)
              if (target.checked && moved && drawn.current) onBox(writeBox(drawn.current.box()))
              setMoved(false)
            }}
          />
          {t('mpFollow')}
        </label>
        {moved && !following && (
          <Button
            onClick={() => {
              if (drawn.current) onBox(writeBox(drawn.current.box()))
              setMoved(false)
            }}
          >
            {t('mpHere')}
          </Button>
        )}
        {filters.bbox && (
          <Button variant="outline" onClick={reset}>
            {t('mpReset')}
          </Button>
        )}
      </div>
      {error && !data && (
        <Failure
          error={error}
          busy={isFetching}
          onRetry={() => void refetch()}
          className={cn(
            box,
            'absolute top-1/2 left-1/2 z-[500] w-max max-w-[80%] -translate-1/2 p-4 text-center',
          )}
        />
      )}
      <p
        role="status"
        className={cn(box, 'absolute bottom-3 left-3 z-[500] max-w-[70%] px-3 py-1.5 text-sm font-medium')}
      >
        {data &&
          (data.total > MOST_PINS
            ? t('mpFirst', { shown: MOST_PINS, count: data.total })
            : t('mpShown', { count: data.pins.length }))}
      </p>
    </div>
  )
}
