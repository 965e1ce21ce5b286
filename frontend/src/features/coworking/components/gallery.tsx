import { cn } from '@/lib/cn'
import { useState } from 'react'
import { imageAt } from '../format'
import { SpaceImage } from './space-image'

export function Gallery({ images, name }: { images: readonly string[]; name: string }) {
  const [selected, setSelected] = useState(0)
  const current = images[selected] ?? images[0]
  if (!current)
    return (
      <div className="flex h-[400px] items-center justify-center rounded-2xl bg-slate-200 dark:bg-slate-800">
        No images available
      </div>
    )
  return (
    <div data-slot="gallery">
      <SpaceImage
        source={current}
        alt={`${name}, image ${selected + 1} of ${images.length}`}
        sizes="(min-width: 1024px) 800px, 100vw"
        fetchPriority="high"
        className="h-[400px] w-full rounded-2xl"
      />
      {images.length > 1 && (
        <div className="mt-3 flex gap-3 overflow-x-auto p-1">
          {images.map((url, index) => (
            <button
              key={url}
              type="button"
              aria-label={`Show image ${index + 1}`}
              aria-pressed={index === selected}
              onClick={() => setSelected(index)}
              className={cn('shrink-0 overflow-hidden rounded-lg', index === selected && 'ring-3 ring-brand')}
            >
              <img
                src={imageAt(url, 320)}
                alt=""
                width={112}
                height={80}
                loading={index >= 3 ? 'lazy' : 'eager'}
                className="h-20 w-28 object-cover"
              />
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
