import { cn } from '@/lib/cn'
import { useEffect, useRef, useState, type ComponentProps } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { imageAt, imageSet, PLACEHOLDER } from '@/lib/images'

/** An image without any source is drawn as a broken one. */
export const NOTHING = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
const NEAR = { rootMargin: '50px', threshold: 0.1 }

/** Whether a picture that can wait has come near to what is seen; from then on it stays so. */
function useNear(waits: boolean) {
  const image = useRef<HTMLImageElement>(null)
  const [near, setNear] = useState(!waits)
  useEffect(() => {
    if (near || !image.current) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
    }, NEAR)
    observer.observe(image.current)
    return () => observer.disconnect()
  }, [near])
  return { image, near }
}

type Props = ComponentProps<'img'> & { source: string; alt: string }

/** A picture in the width that its place needs; says so where it does not come. */
export function StoredImage({ source, alt, className, ...props }: Props) {
  const { t } = useTranslation()
  const [failed, setFailed] = useState(false)
  const { image, near } = useNear(props.loading === 'lazy')
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
      ref={image}
      src={near ? imageAt(source || PLACEHOLDER, 640) : NOTHING}
      srcSet={near ? imageSet(source) : undefined}
      alt={alt}
      // What is seen first is in memory already, and stands there without a blank moment.
      decoding={props.loading === 'lazy' ? 'async' : 'sync'}
      onError={() => setFailed(true)}
      className={cn('bg-slate-200 object-cover dark:bg-slate-800', className)}
      {...props}
    />
  )
}
