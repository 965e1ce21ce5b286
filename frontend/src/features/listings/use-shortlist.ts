import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useSyncExternalStore } from 'react'
import { addToShortlist, removeFromShortlist, shortlistOptions } from './api/shortlist'
import { guestShortlist, onGuestShortlist, setGuestShortlist } from './guest-shortlist'

const NONE: readonly string[] = []
/** What a page that was made ahead knows of. */
const nobodys = () => NONE

type Change = { id: string; keep: boolean }
const changed = (ids: readonly string[], { id, keep }: Change) =>
  keep ? [...ids.filter((other) => other !== id), id] : ids.filter((other) => other !== id)

/** How much the visitor keeps. It is asked for once the page is there. */
export function useShortlistCount() {
  const user = useAppStore((state) => (state.loading ? '' : (state.user?.id ?? '')))
  const { data = [] } = useQuery(shortlistOptions(user))
  const guest = useSyncExternalStore(onGuestShortlist, guestShortlist, nobodys)
  return (user ? data : guest).length
}

export type Kept = { kept: boolean; toggle: () => void }

/** Says what a change did, with the way back. */
function tell(keep: boolean, undo: () => void) {
  const { t } = i18next
  if (keep) notify.success(t('prSaved'))
  else notify.info(t('prUnsaved'), { action: { label: t('prUndo'), onClick: undo } })
}

/** Whether a property is kept in the browser, before there is an account. */
export function useGuestKept(id: string): Kept {
  const kept = useSyncExternalStore(
    onGuestShortlist,
    () => guestShortlist().includes(id),
    () => false,
  )
  const set = (keep: boolean) => setGuestShortlist(changed(guestShortlist(), { id, keep }))
  const toggle = () => {
    set(!kept)
    tell(!kept, () => set(true))
  }
  return { kept, toggle }
}

/** Whether a property is kept in the account. A change is shown at once, and undone when it fails. */
export function useKept(id: string): Kept {
  const user = useAppStore((state) => state.user?.id ?? '')
  const client = useQueryClient()
  const options = shortlistOptions(user)
  const { data: kept = false } = useQuery({ ...options, select: (ids) => ids.includes(id) })
  const { mutate } = useMutation({
    mutationFn: ({ id, keep }: Change) => (keep ? addToShortlist(user, [id]) : removeFromShortlist(id)),
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey: options.queryKey })
      const before = client.getQueryData(options.queryKey)
      client.setQueryData(options.queryKey, changed(before ?? [], change))
      return before
    },
    onError: (error, _, before) => {
      client.setQueryData(options.queryKey, before)
      notify.failure(error, 'shortlist')
    },
  })
  const toggle = () => {
    mutate({ id, keep: !kept })
    tell(!kept, () => mutate({ id, keep: true }))
  }
  return { kept, toggle }
}
