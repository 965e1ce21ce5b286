import { cn } from '@/lib/cn'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useNavigate } from 'react-router-dom'
import { SuggestBox, type Wanted } from './suggest-box'

const KINDS = { lease: 'hmLease', sale: 'hmBuy', coworking: 'hmCoworking' } as const
type Kind = keyof typeof KINDS

/** Where a search from the home page leads. */
export function addressOf(kind: Kind, wanted: Partial<Wanted>) {
  const params = new URLSearchParams()
  const add = (name: string, value = '') => value && params.set(name, value)
  // Co-working spaces know no locality apart from their text.
  add('q', kind === 'coworking' ? wanted.q || wanted.locality : wanted.q)
  if (kind !== 'coworking') add('for', kind)
  add('city', wanted.city)
  if (kind !== 'coworking') add('locality', wanted.locality)
  const query = params.toString()
  return `${kind === 'coworking' ? '/coworking' : '/commercial'}${query && `?${query}`}`
}

export function HomeSearch() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [kind, setKind] = useState<Kind>('lease')
  return (
    <div data-slot="home-search" className="mt-8">
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">{t('hmWhat')}</legend>
        {Object.entries(KINDS).map(([value, word]) => (
          <label
            key={value}
            className={cn(
              'flex min-h-11 cursor-pointer items-center rounded-t-xl px-4 font-semibold has-focus-visible:outline-3 has-focus-visible:outline-blue-600 dark:has-focus-visible:outline-blue-300',
              value === kind
                ? 'bg-white shadow-xl dark:bg-slate-900'
                : 'hover:bg-white/60 dark:hover:bg-slate-900/60',
            )}
          >
            <input
              type="radio"
              name="kind"
              className="sr-only"
              checked={value === kind}
              onChange={() => setKind(value as Kind)}
            />
            {t(word)}
          </label>
        ))}
      </fieldset>
      <SuggestBox
        text=""
        onSearch={(wanted) => void navigate(addressOf(kind, wanted))}
        className="rounded-2xl rounded-tl-none bg-white p-2 shadow-xl dark:bg-slate-900"
      />
    </div>
  )
}
