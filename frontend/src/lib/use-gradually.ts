import { startTransition, useEffect, useState } from 'react'

const STEP = 12

/** A long list at first as far as it is seen, and then the rest of it in steps that give way to whoever uses the page. */
export function useGradually<T>(items: readonly T[], first: number): readonly T[] {
  const [shown, setShown] = useState(first)
  const { length } = items
  useEffect(() => {
    if (shown < length) startTransition(() => setShown(shown + STEP))
  }, [shown, length])
  return shown < length ? items.slice(0, shown) : items
}
