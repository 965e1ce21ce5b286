import { Button } from '@/components/ui/button'
import { WandSparkles } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { suggestDescription, suggestTitle } from '../suggest'
import { Control, Controls, gridClass, More } from './control'
import { useForm } from './form-context'

/** What the property is like. */
export function StepDetails() {
  const { t } = useTranslation()
  const { form } = useForm()
  const { propertyTitle, propertyDescription } = form.values
  const suggestion = (text: string, field: 'propertyTitle' | 'propertyDescription', label: string) =>
    text && (
      <Button
        variant="link"
        size="sm"
        className="px-0!"
        onClick={() => form.change({ [field]: text })}
        aria-label={t(label)}
      >
        <WandSparkles aria-hidden className="size-4" /> {t('lfSuggest')}
      </Button>
    )
  return (
    <div className="space-y-8">
      <div className={gridClass}>
        <Controls step="details" except={['propertyTitle', 'propertyDescription']} />
      </div>
      <div className={gridClass}>
        <Control
          field="propertyTitle"
          aside={
            !propertyTitle.trim() &&
            suggestion(suggestTitle(form.values, t), 'propertyTitle', 'lfSuggestTitle')
          }
        />
        <Control
          field="propertyDescription"
          aside={
            !propertyDescription.trim()
              ? suggestion(suggestDescription(form.values, t), 'propertyDescription', 'lfSuggestDescription')
              : undefined
          }
        />
        <More step="details" />
      </div>
    </div>
  )
}
