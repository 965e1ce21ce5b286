import { cn } from '@/lib/cn'
import { useEffect, useState, type ComponentProps } from 'react'
import { imageAt, imageSet, PLACEHOLDER } from '../format'

type Props = ComponentProps<'img'> & { source: string; alt: string }

export function SpaceImage({ source, alt, className, ...props }: Props) {
  const [failed, setFailed] = useState(false)
  useEffect(() => setFailed(false), [source])
  if (failed)
    return (
      <div className={cn('flex items-center justify-center bg-slate-200 text-slate-800', className)}>
        Failed to load image
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
