import { useQuery } from '@tanstack/react-query'
import { Lightbulb } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { mainArea, rupees, shortPrice } from '../../money'
import { priceHintOptions } from '../api/price-hint'
import { numberIn } from '../schema/values'
import { Control, Controls, gridClass, More } from './control'
import { useForm } from './form-context'

function Hint() {
  const { t } = useTranslation()
  const { values } = useForm().form
  const { data } = useQuery(priceHintOptions(values))
  if (!data) return null
  const price = numberIn('expectedPrice', values.expectedPrice)
  const area = mainArea({
    carpet_area: numberIn('carpetArea', values.carpetArea),
    built_up_area: numberIn('builtUpArea', values.builtUpArea),
    plot_area: numberIn('plotArea', values.plotArea),
  })
  const rate = price && area ? price / area : null
  const band = { from: rupees(data.low), to: rupees(data.high) }
  const verdict =
    rate === null ? '' : rate < data.low ? 'lfHintBelow' : rate > data.high ? 'lfHintAbove' : 'lfHintWithin'
  return (
    <div
      data-slot="price-hint"
      className="flex gap-3 rounded-xl bg-blue-50 p-4 text-sm text-blue-950 sm:col-span-2 dark:bg-blue-950 dark:text-blue-100"
    >
      <Lightbulb aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div>
        <p className="font-semibold">{t('lfHint', { ...band, place: data.place })}</p>
        <p>{t('lfHintFrom', { count: data.count })}</p>
        {rate !== null && (
          <p role="status" className="mt-1">
            {t('lfHintYours', { rate: rupees(rate) })} {t(verdict)}
          </p>
        )}
        {area !== null && rate === null && (
          <p className="mt-1">
            {t('lfHintTotal', { from: shortPrice(data.low * area), to: shortPrice(data.high * area) })}
          </p>
        )}
      </div>
    </div>
  )
}

/** What it costs, on which terms, and what is on paper. */
export function StepPricing() {
  const { t } = useTranslation()
  const { values } = useForm().form
  const amount = numberIn('expectedPrice', values.expectedPrice)
  return (
    <div className={gridClass}>
      <Control
        field="expectedPrice"
        aside={
          amount !== null && (
            <span className="text-sm font-medium text-slate-700 dark:text-slate-300">
              {shortPrice(amount)}
              {values.intent === 'lease' && t('prPerMonth')}
            </span>
          )
        }
      />
      <Control field="maintenance" />
      <Hint />
      <Controls step="pricing" except={['expectedPrice', 'maintenance']} />
      <More step="pricing" />
    </div>
  )
}
