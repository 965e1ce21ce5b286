import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { addToShortlist, removeFromShortlist, shortlistOptions } from './api/shortlist'
import { guestShortlist, onGuestShortlist, setGuestShortlist } from './guest-shortlist'

type Change = { id: string; keep: boolean }
const changed = (ids: readonly string[], { id, keep }: Change) =>
  keep ? [...ids.filter((other) => other !== id), id] : ids.filter((other) => other !== id)

/** How much the visitor keeps. It is asked for once the page is there. */
export function useShortlistCount() {
  const user = useAppStore((state) => (state.loading ? '' : (state.user?.id ?? '')))
  const { data = [] } = useQuery(shortlistOptions(user))
  const guest = useSyncExternalStore(onGuestShortlist, guestShortlist)
  return (user ? data : guest).length
}

/** What the visitor keeps: in the account, or in the browser before there is one. Shown at once, undone when it fails. */
export function useShortlist() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user?.id ?? '')
  const client = useQueryClient()
  const options = shortlistOptions(user)
  const { data } = useQuery(options)
  const guest = useSyncExternalStore(onGuestShortlist, guestShortlist)
  const ids = user ? (data ?? []) : guest
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
  const set = (change: Change) =>
    user ? mutate(change) : setGuestShortlist(changed(guestShortlist(), change))
  const toggle = (id: string) => {
    const keep = !ids.includes(id)
    set({ id, keep })
    if (keep) notify.success(t('prSaved'))
    else
      notify.info(t('prUnsaved'), {
        action: { label: t('prUndo'), onClick: () => set({ id, keep: true }) },
      })
  }
  return { has: (id: string) => ids.includes(id), toggle }
}
