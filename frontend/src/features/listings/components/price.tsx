import type { Tables } from '@/types/database'
import { useTranslation } from '@/i18n/use-translation'
import { rate, rupees, shortPrice } from '../money'

type Priced = Pick<Tables<'properties'>, 'price' | 'intent' | 'price_per_sqft'>

/** The price as it is spoken, the full figure for whoever asks. */
export function Price({ property }: { property: Priced }) {
  const { t } = useTranslation()
  if (property.price === null) return <>{t('onRequest')}</>
  return (
    <span title={rupees(property.price)}>
      {shortPrice(property.price)}
      {property.intent === 'lease' && <span className="text-base font-medium">{t('prPerMonth')}</span>}
    </span>
  )
}

export function Rate({ property }: { property: Priced }) {
  const { t } = useTranslation()
  if (property.price === null || property.price_per_sqft === null) return null
  return <>{t('prPerSqFt', { price: rate(property.price_per_sqft) })}</>
}
