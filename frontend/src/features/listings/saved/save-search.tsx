import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { controlClass, Field } from '@/components/ui/field'
import { messageFor } from '@/lib/errors'
import { notify } from '@/lib/toast'
import type { Enums } from '@/types/database'
import { useState, type FormEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { describeFilter } from '../describe-filter'
import { activeFilters, type Filters } from '../filters'
import { useSaveSearch } from './api'
import { ALERTS } from './alerts'

/** Keeps the search of now under a name. */
export function SaveSearchDialog({ filters, onClose }: { filters: Filters; onClose: () => void }) {
  const { t } = useTranslation()
  const save = useSaveSearch()
  const [name, setName] = useState(() =>
    activeFilters(filters)
      .map((filter) => describeFilter(filters, filter, t))
      .join(', ')
      .slice(0, 120),
  )
  const [problem, setProblem] = useState('')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!name.trim()) {
      setProblem(t('enRequired'))
      return
    }
    const alert = String(new FormData(event.currentTarget).get('alert'))
    save.mutate(
      { name, filters, alert: (alert in ALERTS ? alert : 'off') as Enums<'search_alert'> },
      {
        onSuccess: () => {
          notify.success(t('ssSaved'))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog title={t('ssSave')} onClose={onClose}>
      <form noValidate className="space-y-4" onSubmit={submit}>
        {save.error && (
          <p role="alert" className="text-red-700 dark:text-red-300">
            {messageFor(save.error)}
          </p>
        )}
        <Field
          label={t('ssName')}
          maxLength={120}
          value={name}
          error={problem}
          onChange={(event) => {
            setName(event.target.value)
            setProblem('')
          }}
        />
        <div className="space-y-1.5">
          <label htmlFor="save-alert" className="text-sm font-medium">
            {t('ssAlert')}
          </label>
          <select id="save-alert" name="alert" defaultValue="daily" className={controlClass}>
            {Object.entries(ALERTS).map(([value, word]) => (
              <option key={value} value={value}>
                {t(word)}
              </option>
            ))}
          </select>
        </div>
        <div className="flex flex-wrap justify-end gap-3">
          <Button variant="outline" onClick={onClose}>
            {t('prCancel')}
          </Button>
          <Button type="submit" disabled={save.isPending}>
            {t('ssSave')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
