import { Button, buttonVariants } from '@/components/ui/button'
import { useQueries } from '@tanstack/react-query'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { countOptions } from '../api/search'
import { describeFilter } from '../describe-filter'
import { activeFilters, without, type Filters } from '../filters'

/** Says which filter to drop, and what that would bring. */
export function NothingFound({
  filters,
  onChange,
  onClear,
}: {
  filters: Filters
  onChange: (filters: Filters) => void
  onClear: () => void
}) {
  const { t } = useTranslation()
  const names = activeFilters(filters)
  const answers = useQueries({ queries: names.map((name) => countOptions(without(filters, name))) })
  const ways = names
    .map((name, index) => ({ name, count: answers[index]?.data ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, 4)
  return (
    <div data-slot="nothing-found" className="py-16 text-center">
      <h2 className="text-2xl font-semibold">{t('liEmpty')}</h2>
      <p className="mt-2">{t(names.length ? 'cwAdjust' : 'liNone')}</p>
      {ways.length > 0 && (
        <ul className="mx-auto mt-6 flex max-w-md flex-col gap-2">
          {ways.map(({ name, count }) => (
            <li key={name}>
              <Button
                variant="outline"
                className="h-auto! min-h-11 w-full py-2 whitespace-normal!"
                onClick={() => onChange(without(filters, name))}
              >
                {t('liWithout', { filter: describeFilter(filters, name, t), count })}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {names.length > 0 ? (
        <Button className="mt-6" onClick={onClear}>
          {t('clear')}
        </Button>
      ) : (
        <Link to="/list-property" className={buttonVariants({ className: 'mt-6' })}>
          {t('listProperty')}
        </Link>
      )}
    </div>
  )
}
