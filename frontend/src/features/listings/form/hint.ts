/** The middle half of the numbers: what is usual, without the odd ones. Null when there are none. */
export function quartiles(numbers: readonly number[]) {
  if (numbers.length === 0) return null
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (share: number) => {
    const place = (sorted.length - 1) * share
    const low = sorted[Math.floor(place)] ?? 0
    const high = sorted[Math.ceil(place)] ?? low
    return low + (high - low) * (place - Math.floor(place))
  }
  return { low: at(0.25), high: at(0.75) }
}
