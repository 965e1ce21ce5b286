import { cn } from '@/lib/cn'
import { LoaderCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'

const SIZES = { xs: 'size-3', sm: 'size-4', md: 'size-8', lg: 'size-12', xl: 'size-16' }

export function Spinner({ text, size = 'md' }: { text?: string; size?: keyof typeof SIZES }) {
  const { t } = useTranslation()
  return (
    <div data-slot="spinner" role="status" className="flex flex-col items-center justify-center gap-3 py-16">
      <LoaderCircle aria-hidden className={cn('animate-spin text-brand dark:text-blue-300', SIZES[size])} />
      <p>{text ?? t('loading')}</p>
    </div>
  )
}
