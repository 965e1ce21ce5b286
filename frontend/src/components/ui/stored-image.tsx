import { cn } from '@/lib/cn'
import { useEffect, useState, type ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { imageAt, imageSet, PLACEHOLDER } from '@/lib/images'

type Props = ComponentProps<'img'> & { source: string; alt: string }

/** A picture in the width that its place needs; says so where it does not come. */
export function StoredImage({ source, alt, className, ...props }: Props) {
  const { t } = useTranslation()
  const [failed, setFailed] = useState(false)
  useEffect(() => setFailed(false), [source])
  if (failed)
    return (
      <div
        role="img"
        aria-label={alt ? `${alt}: ${t('cwImageFailed')}` : t('cwImageFailed')}
        className={cn(
          'flex items-center justify-center bg-slate-200 text-center text-sm text-slate-800',
          className,
        )}
      >
        {t('cwImageFailed')}
      </div>
    )
  return (
    <img
      src={imageAt(source || PLACEHOLDER, 640)}
      srcSet={imageSet(source)}
      alt={alt}
      decoding="async"
      onError={() => setFailed(true)}
      className={cn('bg-slate-200 object-cover dark:bg-slate-800', className)}
      {...props}
    />
  )
}
