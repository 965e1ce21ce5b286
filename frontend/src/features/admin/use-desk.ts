import { useSearchParams } from 'react-router-dom'

export const TABS = {
  queue: 'adQueue',
  listings: 'adListings',
  users: 'adUsers',
  coworking: 'adSpaces',
  enquiries: 'adEnquiries',
  reports: 'adReports',
  messages: 'adMessages',
  audit: 'adAudit',
} as const
export type Tab = keyof typeof TABS

const isTab = (value: string | null): value is Tab => value !== null && Object.hasOwn(TABS, value)

/** What the address says about the desk: which one, what is looked for, which page. */
export function useDesk() {
  const [params, setParams] = useSearchParams()
  const asked = params.get('tab')
  const number = params.get('page') ?? ''
  const set = (changes: Record<string, string>, replace = false) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes))
          if (value) next.set(name, value)
          else next.delete(name)
        return next
      },
      { replace },
    )
  const to = (changes: Record<string, string>) => {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value)
      else next.delete(name)
    return `/admin?${next}`
  }
  return {
    tab: isTab(asked) ? asked : 'queue',
    q: (params.get('q') ?? '').trim().slice(0, 100),
    page: /^[1-9]\d{0,4}$/.test(number) ? Number(number) : 1,
    id: params.get('id') ?? '',
    /** The status asked for, if it is one of these. */
    status: <T extends string>(known: readonly T[]) =>
      known.find((value) => value === params.get('status')) ?? ('' as const),
    set,
    to,
  }
}
