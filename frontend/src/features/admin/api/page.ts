import { failed } from '@/lib/failure'

/** Rows of one page of a desk. */
export const ROWS = 20

type Answer<T> = {
  data: T[] | null
  count: number | null
  error: { message: string; code?: string } | null
  status: number
}

/** The rows, and how many pages there are. A page beyond the end has none. */
export function pageOf<T>({ data, count, error, status }: Answer<T>) {
  if (status === 416) return { rows: [] as T[], total: count ?? 0, pages: 1 }
  if (error) throw failed(error, status)
  const total = count ?? data?.length ?? 0
  return { rows: data ?? [], total, pages: Math.max(1, Math.ceil(total / ROWS)) }
}

export const rangeOf = (page: number) => [(page - 1) * ROWS, page * ROWS - 1] as const

/** A pattern that matches the text as it is, for a filter of several columns. */
export function anyOf(columns: readonly string[], text: string) {
  // Within the quotes only these two have a meaning, and the wildcards of `like` are taken as letters.
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`.replace(/["\\]/g, '\\$&')
  return columns.map((column) => `${column}.ilike."${pattern}"`).join(',')
}
