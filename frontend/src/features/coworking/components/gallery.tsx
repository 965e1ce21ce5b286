import { useState } from 'react';
import { srcSet, type SpaceView } from '../lib/model';

export function Gallery({ space }: { space: SpaceView }) {
  const [at, setAt] = useState(0);
  const urls = space.images.length
    ? space.images.map((image) => image.url)
    : space.image_url
      ? [space.image_url]
      : [];
  const current = urls[at];
  if (!current)
    return (
      <div className="grid h-[400px] place-items-center rounded-2xl border border-line bg-surface text-muted">
        No images available
      </div>
    );
  return (
    <div>
      <img
        src={current}
        srcSet={srcSet(current)}
        sizes="(min-width: 1024px) 800px, 100vw"
        alt={`${space.name}, picture ${at + 1} of ${urls.length}`}
        className="h-[400px] w-full rounded-2xl object-cover"
      />
      {urls.length > 1 && (
        <div className="mt-3 flex gap-3 overflow-x-auto p-1">
          {urls.map((url, index) => (
            <button
              key={url + index}
              type="button"
              aria-label={`Show picture ${index + 1}`}
              aria-pressed={index === at}
              onClick={() => setAt(index)}
              className="shrink-0 overflow-hidden rounded-lg border-2 border-transparent aria-pressed:border-brand"
            >
              <img
                src={url.replace(/-\d+\.webp$/, '-320.webp')}
                alt=""
                width={112}
                height={80}
                loading={index > 2 ? 'lazy' : 'eager'}
                className="h-20 w-28 object-cover"
              />
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
