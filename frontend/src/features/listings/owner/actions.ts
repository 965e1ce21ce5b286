import type { Enums } from '@/types/database'

type Status = Enums<'property_status'>
export type Action = 'view' | 'edit' | 'withdraw' | 'archive' | 'renew' | 'publish' | 'duplicate' | 'delete'
type Listing = { status: Status; expires_at: string | null }

/** Public until its day is over; nobody but the owner finds it after that. */
export const isExpired = ({ status, expires_at: until }: Listing, now = Date.now()) =>
  status === 'active' && until !== null && Date.parse(until) <= now

const BY_STATUS: Readonly<Record<Status, readonly Action[]>> = {
  draft: ['edit', 'duplicate', 'delete'],
  pending: ['view', 'edit', 'withdraw', 'duplicate'],
  active: ['view', 'edit', 'archive', 'duplicate'],
  rejected: ['edit', 'duplicate'],
  archived: ['edit', 'publish', 'duplicate'],
}

/** What the owner can do with a listing; the moves between states are those that the database allows. */
export const actionsOf = (listing: Listing, now?: number): readonly Action[] =>
  isExpired(listing, now) ? ['renew', ...BY_STATUS.active] : BY_STATUS[listing.status]

/** The states through which each move leads. */
export const MOVES: Readonly<Partial<Record<Action, readonly Status[]>>> = {
  withdraw: ['draft'],
  archive: ['archived'],
  publish: ['pending'],
  // There is no shorter way back to a new date.
  renew: ['archived', 'pending'],
}
