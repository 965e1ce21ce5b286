import { Button } from '@/components/ui/button'
import { controlClass } from '@/components/ui/field'
import { cn } from '@/lib/cn'
import { useQuery } from '@tanstack/react-query'
import { Building2, MapPin, Search } from 'lucide-react'
import { useEffect, useId, useState, type KeyboardEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { suggestionsOptions, type Suggestion } from '../api/get-suggestions'
import type { Filters } from '../filters'

const WAIT = 150
export type Wanted = Pick<Filters, 'q' | 'city' | 'locality'>

/** What a suggestion means for the search. */
export function wantedBy({ kind, label, city }: Suggestion): Wanted {
  if (kind === 'city') return { q: '', city: label, locality: '' }
  if (kind === 'locality') return { q: '', city, locality: label }
  return { q: label, city: '', locality: '' }
}

function useDelayed<T>(value: T, wait: number) {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), wait)
    return () => clearTimeout(timer)
  }, [value, wait])
  return delayed
}

/** A text box that offers places and titles for what has been typed so far. */
export function SuggestBox({
  text,
  onSearch,
  className,
}: {
  text: string
  /** Words alone leave city and locality as they are. */
  onSearch: (wanted: Partial<Wanted>) => void
  className?: string
}) {
  const { t } = useTranslation()
  const id = useId()
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  if (known !== text) {
    setKnown(text)
    setTyped(text)
  }
  const asked = useDelayed(typed.trim(), WAIT)
  const { data } = useQuery({ ...suggestionsOptions(asked), enabled: open && asked.length >= 2 })
  const suggestions = asked.length >= 2 && typed.trim().length >= 2 ? (data ?? []) : []
  const shown = open && suggestions.length > 0

  const finish = (wanted: Partial<Wanted>) => {
    setOpen(false)
    setActive(-1)
    setTyped(wanted.q ?? '')
    onSearch(wanted)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const count = suggestions.length
    if (event.key === 'Escape' && shown) {
      event.preventDefault()
      setOpen(false)
      setActive(-1)
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && count > 0) {
      event.preventDefault()
      setOpen(true)
      // One place more than there are suggestions: the text itself.
      const by = event.key === 'ArrowDown' ? 1 : -1
      setActive(((active + 1 + by + count + 1) % (count + 1)) - 1)
    }
  }
  return (
    <form
      data-slot="suggest-box"
      role="search"
      className={cn('flex gap-2', className)}
      onSubmit={(event) => {
        event.preventDefault()
        const chosen = shown ? suggestions[active] : undefined
        finish(chosen ? wantedBy(chosen) : { q: typed.trim() })
      }}
    >
      <div className="relative min-w-0 grow">
        <input
          type="search"
          role="combobox"
          aria-label={t('cwSearch')}
          placeholder={t('hmPlaceholder')}
          aria-autocomplete="list"
          aria-expanded={shown}
          aria-controls={`${id}-list`}
          aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
          autoComplete="off"
          enterKeyHint="search"
          maxLength={200}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value)
            setOpen(true)
            setActive(-1)
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
          className={controlClass}
        />
        <ul
          id={`${id}-list`}
          role="listbox"
          aria-label={t('cwSearch')}
          hidden={!shown}
          className="absolute inset-x-0 top-full z-30 mt-1 overflow-hidden rounded-xl border border-slate-200 bg-white py-1 text-slate-900 shadow-xl dark:border-slate-700 dark:bg-slate-900 dark:text-slate-100"
        >
          {suggestions.map((each, index) => (
            <li
              key={`${each.kind}-${each.label}-${each.city}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              // Before the box loses the focus, which would close the list.
              onMouseDown={(event) => {
                event.preventDefault()
                finish(wantedBy(each))
              }}
              className={cn(
                'flex min-h-11 cursor-pointer items-center gap-2 px-3 hover:bg-slate-500/15',
                index === active && 'bg-slate-500/15',
              )}
            >
              {each.kind === 'project' ? (
                <Building2 aria-hidden className="size-4 shrink-0" />
              ) : (
                <MapPin aria-hidden className="size-4 shrink-0" />
              )}
              <span className="truncate">
                {each.label}
                {each.kind !== 'city' && each.city && `, ${each.city}`}
              </span>
            </li>
          ))}
        </ul>
      </div>
      <Button type="submit" aria-label={t('hmSearch')}>
        <Search aria-hidden className="size-4" /> <span className="max-sm:hidden">{t('hmSearch')}</span>
      </Button>
    </form>
  )
}
