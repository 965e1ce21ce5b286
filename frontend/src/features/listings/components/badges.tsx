import { cn } from '@/lib/cn'
import { useId, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'

const KINDS = {
  featured: { label: 'featured', why: 'baFeaturedWhy', look: 'bg-yellow-400 text-slate-900' },
  verified: {
    label: 'baVerified',
    why: 'baVerifiedWhy',
    look: 'bg-emerald-100 text-emerald-900 dark:bg-emerald-950 dark:text-emerald-100',
  },
  rera: {
    label: 'baRera',
    why: 'baReraWhy',
    look: 'bg-blue-100 text-blue-900 dark:bg-blue-950 dark:text-blue-100',
  },
} as const
type Kind = keyof typeof KINDS
type Marked = { featured: boolean; verified: boolean; rera_number: string | null }

export const badgesOf = (property: Marked): Kind[] => [
  ...(property.featured ? (['featured'] as const) : []),
  ...(property.verified ? (['verified'] as const) : []),
  ...(property.rera_number ? (['rera'] as const) : []),
]
const shape = 'rounded-full px-2.5 py-1 text-xs font-bold'

/** On a card, which is one link: the words alone, and why on hover. */
export function Badges({ property, className }: { property: Marked; className?: string }) {
  const { t } = useTranslation()
  const kinds = badgesOf(property)
  if (kinds.length === 0) return null
  return (
    <ul data-slot="badges" className={cn('flex flex-wrap gap-1.5', className)}>
      {kinds.map((kind) => (
        <li key={kind} title={t(KINDS[kind].why)} className={cn(shape, KINDS[kind].look)}>
          {t(KINDS[kind].label)}
        </li>
      ))}
    </ul>
  )
}

/** On a page of its own each says in a sentence what it means, when asked. */
export function ExplainedBadges({ property }: { property: Marked }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<Kind | null>(null)
  const id = useId()
  const kinds = badgesOf(property)
  if (kinds.length === 0) return null
  return (
    <div data-slot="explained-badges">
      <ul className="flex flex-wrap gap-2">
        {kinds.map((kind) => (
          <li key={kind}>
            <button
              type="button"
              title={t(KINDS[kind].why)}
              aria-expanded={open === kind}
              aria-controls={id}
              onClick={() => setOpen(open === kind ? null : kind)}
              onFocus={(event) => event.target.matches(':focus-visible') && setOpen(kind)}
              className={cn(shape, 'min-h-7', KINDS[kind].look)}
            >
              {t(KINDS[kind].label)}
            </button>
          </li>
        ))}
      </ul>
      <p id={id} aria-live="polite" className="text-sm text-slate-700 dark:text-slate-300">
        {open && <span className="block pt-2">{t(KINDS[open].why)}</span>}
      </p>
    </div>
  )
}
