import { Button } from '@/components/ui/button'
import { useQuery } from '@tanstack/react-query'
import { MapPinPlus } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { placesOptions } from '../api/get-places'
import { drawPin, type DrawnPin, type Point } from './draw-pin'

type Props = { point: Point | null; city: string; onPut: (point: Point) => void }

/** Where a property is, on a map: dragged, pressed or moved by keys. The numbers beside it say the same. */
export function PinMap({ point, city, onPut }: Props) {
  const { t, language } = useTranslation()
  const help = useId()
  const element = useRef<HTMLDivElement>(null)
  const drawn = useRef<DrawnPin>(undefined)
  const latest = useRef(onPut)
  useEffect(() => {
    latest.current = onPut
  })
  const { data: places } = useQuery(placesOptions(city))
  useEffect(() => {
    if (!element.current) return
    const map = drawPin(element.current, {
      words: { pin: t('mpPin'), zoomIn: t('mpZoomIn'), zoomOut: t('mpZoomOut') },
      onPut: (put) => latest.current(put),
    })
    drawn.current = map
    const watch = new ResizeObserver(() => map.resized())
    watch.observe(element.current)
    return () => {
      watch.disconnect()
      map.remove()
      drawn.current = undefined
    }
  }, [t, language])
  const { lat, lng } = point ?? {}
  useEffect(() => {
    drawn.current?.show(lat === undefined || lng === undefined ? null : { lat, lng })
  }, [lat, lng, language])
  useEffect(() => drawn.current?.name(places ?? []), [places, language])
  return (
    <div data-slot="pin-map">
      <p id={help} className="mb-2 text-sm text-slate-700 dark:text-slate-300">
        {t('mpPinHelp')}
      </p>
      <div className="relative isolate h-80 overflow-hidden rounded-xl border border-slate-300 dark:border-slate-700">
        <div
          ref={element}
          role="region"
          aria-label={t('mpPinMap')}
          aria-describedby={help}
          className="property-map size-full"
        />
        {!point && (
          <Button
            className="absolute bottom-4 left-1/2 z-[500] -translate-x-1/2"
            onClick={() => drawn.current?.putHere()}
          >
            <MapPinPlus aria-hidden className="size-4" /> {t('mpPinHere')}
          </Button>
        )}
      </div>
    </div>
  )
}
