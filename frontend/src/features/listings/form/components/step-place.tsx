import { Button } from '@/components/ui/button'
import { controlClass } from '@/components/ui/field'
import { MapFrame } from '@/components/ui/map-frame'
import { needSection } from '@/i18n'
import { notify } from '@/lib/toast'
import { LocateFixed, MapPin } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState, type ComponentType } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import type { PinMap as Drawn } from '../../map/pin-map'
import { parsePoint, placeOf } from '../places'
import { numberIn } from '../schema/values'
import { Chips, Control, Controls, gridClass } from './control'
import { useForm } from './form-context'

/** The map is fetched when its step is shown. */
const PinMap = lazy<ComponentType<Parameters<typeof Drawn>[0]>>(async () => {
  try {
    const [{ PinMap: component }] = await Promise.all([import('../../map/pin-map'), needSection('map')])
    return { default: component }
  } catch {
    // Without a connection there is no map, and the rest of the step stays.
    return { default: () => null }
  }
})
const round = (value: number) => value.toFixed(6)

/** Where the property is on the map: from this device, from a copied map address, or by numbers. */
function Pin() {
  const { t } = useTranslation()
  const { form } = useForm()
  const [pasted, setPasted] = useState('')
  const [problem, setProblem] = useState('')
  const [locating, setLocating] = useState(false)
  const lat = numberIn('lat', form.values.lat)
  const lng = numberIn('lng', form.values.lng)
  // Numbers outside India are said to be wrong under their fields, and have no pin.
  const point = lat !== null && lng !== null && !form.errors.lat && !form.errors.lng ? { lat, lng } : null
  const put = (point: { lat: number; lng: number }) => {
    setProblem('')
    form.change({ lat: round(point.lat), lng: round(point.lng) })
  }
  const locate = () => {
    setLocating(true)
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setLocating(false)
        put({ lat: coords.latitude, lng: coords.longitude })
      },
      () => {
        setLocating(false)
        notify.warning(t('lfNoLocation'))
      },
      { enableHighAccuracy: true, timeout: 10_000 },
    )
  }
  return (
    <section className="space-y-4 rounded-xl border border-slate-300 p-4 dark:border-slate-700">
      <div>
        <h3 className="flex items-center gap-2 font-semibold">
          <MapPin aria-hidden className="size-5" /> {t('lfPin')}
          <span className="text-sm font-normal text-slate-600 dark:text-slate-400">{t('lfOptional')}</span>
        </h3>
        <p className="mt-1 text-sm text-slate-700 dark:text-slate-300">{t('lfPinText')}</p>
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 grow basis-64">
          <label htmlFor="listing-pin" className="mb-1.5 block text-sm font-medium">
            {t('lfPinPaste')}
          </label>
          <input
            id="listing-pin"
            value={pasted}
            autoComplete="off"
            placeholder="11.0168, 76.9558"
            aria-describedby={problem ? 'listing-pin-problem' : undefined}
            aria-invalid={problem ? true : undefined}
            onChange={(event) => {
              const text = event.target.value
              const point = parsePoint(text)
              setPasted(text)
              if (point) put(point)
            }}
            onBlur={() => setProblem(pasted.trim() && !parsePoint(pasted) ? t('lfPinUnknown') : '')}
            className={controlClass}
          />
        </div>
        <Button variant="outline" disabled={locating} onClick={locate}>
          <LocateFixed aria-hidden className="size-4" /> {t('lfHere')}
        </Button>
      </div>
      {problem && (
        <p id="listing-pin-problem" className="text-sm font-medium text-red-700 dark:text-red-300">
          {problem}
        </p>
      )}
      <Suspense fallback={<div className="h-80 rounded-xl bg-slate-200 dark:bg-slate-800" />}>
        <PinMap point={point} city={form.values.city.trim()} onPut={put} />
      </Suspense>
      <div className={gridClass}>
        <Control field="lat" />
        <Control field="lng" />
      </div>
      {point && <MapFrame name={t('lfYourProperty')} point={point} />}
      <Chips field="locationPrecision" words={{ exact: 'lfExact', locality: 'lfOnlyLocality' }} />
    </section>
  )
}

/** Where the property is. */
export function StepPlace() {
  const { t } = useTranslation()
  const { form } = useForm()
  const { pincode, city, state } = form.values
  const known = placeOf(pincode.trim())
  const { change } = form
  const asked = useRef(pincode)
  useEffect(() => {
    // Only a code that was just typed decides; what somebody wrote about the city themselves stays.
    if (asked.current === pincode) return
    asked.current = pincode
    const found = placeOf(pincode.trim())
    if (found) change({ state: found.state, ...(found.city && { city: found.city }) })
  }, [pincode, change])
  return (
    <div className="space-y-8">
      <div className={gridClass}>
        <Control
          field="pincode"
          aside={
            <span role="status" className="text-sm font-medium text-emerald-800 dark:text-emerald-300">
              {known && [known.city, known.state].filter(Boolean).join(', ')}
            </span>
          }
        />
        <Control field="city" />
        <Control field="state" />
        <Controls
          step="place"
          except={['pincode', 'city', 'state', 'lat', 'lng', 'locationPrecision', 'address']}
        />
        <Control field="address" />
      </div>
      {known && known.city && city.trim() && city.trim() !== known.city && state === known.state && (
        <p className="text-sm text-slate-700 dark:text-slate-300">
          {t('lfPlaceDiffers', { city: known.city })}
        </p>
      )}
      <Pin />
    </div>
  )
}
