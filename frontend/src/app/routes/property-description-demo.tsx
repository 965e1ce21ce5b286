import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { cardClass, Page } from '@/components/ui/page'
import { parseAmount } from '@/features/listings/amount'
import { Choice } from '@/features/listings/components/filter-fields'
import { describeListing, type Described } from '@/features/listings/describe'
import { AMENITIES, ENUMS, FURNISHINGS, INTENTS, TYPES } from '@/features/listings/labels'
import { notify } from '@/lib/toast'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'

const NUMBERS = [
  ['area', 'pdArea'],
  ['price', 'pdPriceLabel'],
  ['seats', 'pdSeatsLabel'],
  ['parking', 'pdParkingLabel'],
] as const
const WORDS = [
  ['locality', 'pdLocality'],
  ['city', 'city'],
  ['nearby', 'pdNearbyLabel'],
] as const

/** Writes a listing's text from its facts, here in the browser. */
export function Component() {
  const { t } = useTranslation()
  const [facts, setFacts] = useState<Described>({
    type: 'office',
    intent: 'lease',
    area: 2400,
    locality: 'Peelamedu',
    city: 'Coimbatore',
    price: 120_000,
    furnishing: 'furnished',
    seats: 30,
    parking: 4,
    amenities: ['wifi'],
    nearby: '',
  })
  const set = (part: Partial<Described>) => setFacts((before) => ({ ...before, ...part }))
  const { title, text } = describeListing(facts, t)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(`${title}\n\n${text}`)
      notify.success(t('pdCopied'))
    } catch (error) {
      notify.failure(error, 'description')
    }
  }
  return (
    <Page title={t('pdHeading')} lead={t('pdLead')} noindex>
      <div className="grid items-start gap-6 *:min-w-0 lg:grid-cols-2">
        <form className={`${cardClass} space-y-4`} onSubmit={(event) => event.preventDefault()}>
          <div className="grid gap-4 sm:grid-cols-2">
            <Choice
              label={t('fcType')}
              value={facts.type}
              options={ENUMS.property_type.map((value) => [value, t(TYPES[value])])}
              onChange={(value) =>
                set({ type: ENUMS.property_type.find((each) => each === value) ?? facts.type })
              }
            />
            <Choice
              label={t('liIntent')}
              value={facts.intent}
              options={ENUMS.listing_intent.map((value) => [value, t(INTENTS[value])])}
              onChange={(value) =>
                set({ intent: ENUMS.listing_intent.find((each) => each === value) ?? facts.intent })
              }
            />
            {WORDS.map(([name, word]) => (
              <Field
                key={name}
                label={t(word)}
                maxLength={120}
                value={facts[name]}
                onChange={({ target: { value } }) => set({ [name]: value })}
              />
            ))}
            {NUMBERS.map(([name, word]) => (
              <Field
                key={name}
                label={t(word)}
                inputMode="text"
                defaultValue={facts[name] ?? ''}
                maxLength={20}
                onChange={({ target: { value } }) => set({ [name]: parseAmount(value) })}
              />
            ))}
            <Choice
              label={t('fcFurnishing')}
              none={t('liAny')}
              value={facts.furnishing}
              options={ENUMS.furnishing.map((value) => [value, t(FURNISHINGS[value])])}
              onChange={(value) => set({ furnishing: ENUMS.furnishing.find((each) => each === value) ?? '' })}
            />
          </div>
          <fieldset>
            <legend className="text-sm font-medium">{t('cwAmenities')}</legend>
            <div className="mt-1 grid gap-x-4 sm:grid-cols-2">
              {Object.entries(AMENITIES).map(([name, word]) => (
                <label key={name} className="flex min-h-11 cursor-pointer items-center gap-2 text-sm">
                  <input
                    type="checkbox"
                    className="size-5 accent-brand"
                    checked={facts.amenities.includes(name)}
                    onChange={({ target: { checked } }) =>
                      set({
                        amenities: checked
                          ? [...facts.amenities, name]
                          : facts.amenities.filter((other) => other !== name),
                      })
                    }
                  />
                  {t(word)}
                </label>
              ))}
            </div>
          </fieldset>
        </form>
        <section aria-live="polite" className={`${cardClass} lg:sticky lg:top-20`}>
          <h2 className="text-xl font-semibold wrap-anywhere">{title}</h2>
          <p className="mt-3 leading-relaxed wrap-anywhere">{text}</p>
          <Button className="mt-6" onClick={() => void copy()}>
            <Copy aria-hidden className="size-4" /> {t('pdCopy')}
          </Button>
        </section>
      </div>
    </Page>
  )
}
