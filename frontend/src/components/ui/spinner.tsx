import { cn } from '@/lib/cn'
import { LoaderCircle } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'

const SIZES = { xs: 'size-3', sm: 'size-4', md: 'size-8', lg: 'size-12', xl: 'size-16' }

type Props = {
  text?: string
  size?: keyof typeof SIZES
  /** In the height of a line. */
  inline?: boolean
}

export function Spinner({ text, size = 'md', inline = false }: Props) {
  const { t } = useTranslation()
  return (
    <div
      data-slot="spinner"
      role="status"
      className={cn('flex items-center gap-3', !inline && 'flex-col justify-center py-16')}
    >
      <LoaderCircle aria-hidden className={cn('animate-spin text-brand dark:text-blue-300', SIZES[size])} />
      <p>{text ?? t('loading')}</p>
    </div>
  )
}
