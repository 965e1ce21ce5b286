import { clsx, type ClassValue } from 'clsx'

/** Joins classes. A part's own utility is overruled with the `!` suffix: no merge table is shipped for it. */
export const cn = (...values: ClassValue[]) => clsx(values)
