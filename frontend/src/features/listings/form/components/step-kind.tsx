import { cn } from '@/lib/cn'
import { Building2, Factory, Layers, Store, Warehouse, type LucideIcon } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import type { Enums } from '@/types/database'
import { SUB_TYPES, TYPES } from '../../labels'
import { Chips, useControl } from './control'
import { useForm } from './form-context'

const ICONS: Readonly<Record<Enums<'property_type'>, LucideIcon>> = {
  office: Building2,
  retail: Store,
  warehouse: Warehouse,
  industrial: Factory,
  mixed_use: Layers,
}

/** What is listed, and whether it is let or sold. */
export function StepKind() {
  const { t } = useTranslation()
  const { form } = useForm()
  const { id, error, value } = useControl('propertyType')
  const type = Object.keys(TYPES).find((each) => each === value)
  return (
    <div className="space-y-8">
      <Chips field="intent" />
      <fieldset
        id={id}
        tabIndex={-1}
        aria-describedby={error ? `${id}-error` : undefined}
        className="outline-none"
      >
        <legend className="mb-1.5 text-sm font-medium">{t('fcType')}</legend>
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          {Object.entries(TYPES).map(([choice, word]) => {
            const Icon = ICONS[choice as Enums<'property_type'>]
            return (
              <label
                key={choice}
                className={cn(
                  'flex cursor-pointer flex-col items-start gap-3 rounded-xl border bg-white p-4 font-semibold has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-blue-600 dark:bg-slate-900 dark:has-focus-visible:outline-blue-300',
                  choice === value
                    ? 'border-brand bg-blue-50! text-brand-dark ring-1 ring-brand dark:border-blue-300 dark:bg-blue-950! dark:text-blue-100 dark:ring-blue-300'
                    : 'border-slate-300 hover:border-slate-500 dark:border-slate-700 dark:hover:border-slate-500',
                )}
              >
                <input
                  type="radio"
                  name="propertyType"
                  className="sr-only"
                  checked={choice === value}
                  onChange={() => form.change({ propertyType: choice, subType: '' })}
                />
                <Icon aria-hidden className="size-7" />
                {t(word)}
              </label>
            )
          })}
        </div>
        {error && (
          <p id={`${id}-error`} className="mt-1.5 text-sm font-medium text-red-700 dark:text-red-300">
            {error}
          </p>
        )}
      </fieldset>
      {type && <Chips field="subType" words={SUB_TYPES[type as Enums<'property_type'>]} />}
    </div>
  )
}
