import type { Profile } from './api/profile'

const PARTS = {
  full_name: 'fullName',
  avatar_url: 'pfAvatar',
  phone: 'pfPhone',
  email: 'pfEmail',
  user_type: 'pfType',
  city: 'pfCity',
} as const satisfies Partial<Record<keyof Profile, string>>

/** How much of a profile is filled in, in per cent, and the keys of what is missing. */
export function completionOf(profile: Pick<Profile, keyof typeof PARTS>) {
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[]
  const missing = names.filter((name) => !profile[name])
  return {
    percent: Math.round(((names.length - missing.length) / names.length) * 100),
    missing: missing.map((name) => PARTS[name]),
  }
}
