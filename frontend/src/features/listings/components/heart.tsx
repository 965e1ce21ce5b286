import { cn } from '@/lib/cn'
import { useAppStore } from '@/stores/app-store'
import { Heart as HeartIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useGuestKept, useKept, type Kept } from '../use-shortlist'

type Props = ComponentProps<'button'> & { id: string; name: string; withText?: boolean }

/** Keeps a property, or no longer. Most visitors have no account, and a list has many hearts: theirs ask nothing of the query cache. */
export function Heart(props: Props) {
  const signedIn = useAppStore((state) => state.user !== null)
  return signedIn ? <OwnHeart {...props} /> : <GuestHeart {...props} />
}

const OwnHeart = ({ id, ...props }: Props) => <Button {...props} {...useKept(id)} />
const GuestHeart = ({ id, ...props }: Props) => <Button {...props} {...useGuestKept(id)} />

function Button({ name, withText = false, className, kept, toggle, ...props }: Omit<Props, 'id'> & Kept) {
  const { t } = useTranslation()
  return (
    <button
      data-slot="heart"
      type="button"
      aria-pressed={kept}
      aria-label={withText ? undefined : t('prSaveName', { name })}
      onClick={toggle}
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
