import { cn } from '@/lib/cn'
import { Heart as HeartIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { useShortlist } from '../use-shortlist'

type Props = ComponentProps<'button'> & { id: string; name: string; withText?: boolean }

/** Keeps a property, or no longer. */
export function Heart({ id, name, withText = false, className, ...props }: Props) {
  const { t } = useTranslation()
  const shortlist = useShortlist()
  const kept = shortlist.has(id)
  return (
    <button
      data-slot="heart"
      type="button"
      aria-pressed={kept}
      aria-label={withText ? undefined : t('prSaveName', { name })}
      onClick={() => shortlist.toggle(id)}
      className={className}
      {...props}
    >
      <HeartIcon
        aria-hidden
        className={cn('size-5', kept && 'fill-red-600 text-red-600 dark:fill-red-400 dark:text-red-400')}
      />
      {withText && t('prSave')}
    </button>
  )
}
