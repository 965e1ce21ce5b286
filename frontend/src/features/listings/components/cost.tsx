import { Field } from '@/components/ui/field'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import type { DetailedProperty } from '../api/get-property'
import { grossYield, instalment, leaseCost, number, rupees, shortPrice } from '../money'

function Rows({ rows }: { rows: ReadonlyArray<readonly [label: string, value: string]> }) {
  return (
    <dl className="divide-y divide-slate-200 dark:divide-slate-800">
      {rows.map(([label, value]) => (
        <div key={label} className="flex justify-between gap-4 py-2 last:font-semibold">
          <dt>{label}</dt>
          <dd className="text-right">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What a lease costs each month with everything. */
export function MonthlyCost({ property }: { property: DetailedProperty }) {
  const { t } = useTranslation()
  const cost = leaseCost(property)
  if (!cost) return null
  return (
    <>
      <Rows
        rows={[
          [t('ctRent'), rupees(cost.rent)],
          ...(cost.maintenance ? [[t('ctMaintenance'), rupees(cost.maintenance)] as const] : []),
          ...(cost.tax ? [[t('ctTax'), rupees(cost.tax)] as const] : []),
          [t('ctTotal'), rupees(cost.total)],
        ]}
      />
      {cost.deposit !== null && (
        <p className="mt-3 text-sm text-slate-700 dark:text-slate-300">
          {t('ctDeposit', { amount: rupees(cost.deposit) })}
        </p>
      )}
    </>
  )
}

const amountOf = (text: string, most: number) => Math.min(Math.max(Number(text) || 0, 0), most)

/** What a loan for the price would cost each month, and what a let property brings. */
export function LoanHelper({ property }: { property: DetailedProperty }) {
  const { t } = useTranslation()
  const [share, setShare] = useState('70')
  const [rate, setRate] = useState('9.5')
  const [years, setYears] = useState('15')
  if (property.intent !== 'sale' || property.price === null) return null
  const loan = (property.price * amountOf(share, 100)) / 100
  const monthly = instalment(loan, amountOf(rate, 40), amountOf(years, 40))
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field
          label={t('loShare')}
          inputMode="decimal"
          value={share}
          onChange={(event) => setShare(event.target.value)}
        />
        <Field
          label={t('loRate')}
          inputMode="decimal"
          value={rate}
          onChange={(event) => setRate(event.target.value)}
        />
        <Field
          label={t('loYears')}
          inputMode="numeric"
          value={years}
          onChange={(event) => setYears(event.target.value)}
        />
      </div>
      <p role="status" className="mt-4">
        {t('loResult', { loan: shortPrice(loan), monthly: rupees(Math.round(monthly)) })}
      </p>
      {property.current_rent !== null && (
        <p className="mt-2">
          {t('loYield', {
            rent: rupees(property.current_rent),
            number: number(grossYield(property.current_rent, property.price)),
          })}
        </p>
      )}
      <p className="mt-2 text-sm text-slate-700 dark:text-slate-300">{t('loHint')}</p>
    </>
  )
}
