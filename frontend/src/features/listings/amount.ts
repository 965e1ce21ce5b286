const UNITS: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(cr|crores?)$/, 10_000_000],
  [/^(l|lacs?|lakhs?)$/, 100_000],
  [/^(k|thousand)$/, 1000],
  [/^$/, 1],
]

/** Reads what people write for an amount: '1,25,000', '1.25 Cr', '45 lakh', '80k'. Null when it is none. */
export function parseAmount(text: string): number | null {
  const clean = text.toLowerCase().replace(/[₹,\s]/g, '')
  const match = /^(\d+(?:\.\d+)?)([a-z]*)$/.exec(clean)
  const factor = UNITS.find(([unit]) => unit.test(match?.[2] ?? ''))?.[1]
  if (!match || factor === undefined) return null
  const value = Math.round(Number(match[1]) * factor)
  return value > 0 && value < 1e12 ? value : null
}
