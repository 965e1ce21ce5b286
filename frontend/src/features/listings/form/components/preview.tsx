import { useTranslation } from '@/i18n/use-translation'
import type { ListedProperty } from '../../api/search'
import { PropertyCard } from '../../components/property-card'
import { mainArea } from '../../money'
import { toRow } from '../schema/row'
import { isAsked, numberIn } from '../schema/values'
import { useForm } from './form-context'

/** The card as it will stand in the lists, growing with what is typed. */
export function Preview({ level = 'h3' }: { level?: 'h2' | 'h3' }) {
  const { t } = useTranslation()
  const { form, listing } = useForm()
  const { values } = form
  const areas = {
    carpet_area: numberIn('carpetArea', values.carpetArea),
    built_up_area: numberIn('builtUpArea', values.builtUpArea),
    plot_area: isAsked('plotArea', values) ? numberIn('plotArea', values.plotArea) : null,
  }
  const price = numberIn('expectedPrice', values.expectedPrice)
  const area = mainArea(areas)
  const { intent, property_type: type } = toRow(values, t)
  const property: ListedProperty = {
    ...areas,
    id: listing?.id ?? '',
    slug: '',
    title: values.propertyTitle.trim() || t('lfPreviewTitle'),
    price,
    intent,
    property_type: type,
    sub_type: values.subType || null,
    locality: values.locality.trim() || null,
    city: values.city.trim() || null,
    price_per_sqft: price && area ? price / area : null,
    furnishing: null,
    seats: null,
    verified: false,
    rera_number: form.errors.reraNumber ? null : values.reraNumber.trim() || null,
    featured: false,
    published_at: null,
    images: listing?.images ?? [],
  }
  // Not to be operated: it is a picture of a card.
  return (
    <div inert data-slot="listing-preview">
      <PropertyCard property={property} level={level} />
    </div>
  )
}
