import type { Enums, TablesUpdate } from '@/types/database'
import type { Step } from './steps'

export type Words = Readonly<Record<string, string>>
export type Kind =
  | { kind: 'text'; most: number; least?: number; pattern?: RegExp; lines?: number }
  /** Rupees, which people also write as '1.25 Cr'. */
  | { kind: 'amount' }
  /** `above` is a bound that is not reached itself. */
  | { kind: 'number'; whole?: boolean; above?: number; from?: number; to: number; unit?: string }
  | { kind: 'choice'; words: Words }
  /** Yes, no, or not said. */
  | { kind: 'answer' }
  | { kind: 'flag' }
  | { kind: 'date' }
  | { kind: 'flags' }
export type Column = keyof TablesUpdate<'properties'>
export type Rule = {
  column: Column
  step: Step
  /** The catalogue's key of what the field is called. */
  label: string
  hint?: string
  is: Kind
  /** Without it a draft cannot be saved, or a listing cannot be submitted. */
  needed?: 'draft' | 'submit'
  /** For which types it is asked; for all when it is missing. */
  types?: readonly Enums<'property_type'>[]
  intent?: Enums<'listing_intent'>
  /** Asked for those who want to say more. */
  more?: true
  /** Not called optional, because it is one of several of which one is needed, or is always answered. */
  open?: true
}

export const ROOMS = ['office', 'retail', 'mixed_use'] as const
export const YARDS = ['warehouse', 'industrial'] as const
const SQ_FT = 9_999_999_999
export const count = (to: number, from = 0): Kind => ({ kind: 'number', whole: true, from, to })
export const area: Kind = { kind: 'number', above: 0, to: SQ_FT, unit: 'lfSqFt' }
