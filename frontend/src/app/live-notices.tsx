import { enquiryKeys, listingKeys } from '@/features/listings/api/keys'
import { adoptGuestViews } from '@/features/listings/api/record-view'
import { newEnquiriesOptions } from '@/features/listings/api/received-enquiries'
import { followNotices, type Notices } from '@/features/live/notices'
import { needSection } from '@/i18n'
import { reportError } from '@/lib/errors'
import { holdChannel } from '@/lib/hold-channel'
import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { useLiveStore } from '@/stores/live-store'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'

/** Tells whoever is signed in what happens to their listings, and keeps what is shown of them true. */
export function LiveNotices({ user }: { user: string }) {
  const admin = useAppStore((state) => state.user?.role === 'admin')
  const client = useQueryClient()
  const navigate = useNavigate()
  const { data: fresh = 0 } = useQuery(newEnquiriesOptions(user))
  useEffect(() => {
    useLiveStore.setState({ newEnquiries: fresh })
    return () => useLiveStore.setState({ newEnquiries: 0 })
  }, [fresh])
  useEffect(() => {
    void adoptGuestViews()
  }, [user])
  useEffect(() => {
    const { t } = i18next
    const refetch = (queryKey: readonly unknown[]) => void client.invalidateQueries({ queryKey })
    const notices: Notices = {
      onEnquiry: ({ name }) => {
        refetch(enquiryKeys.all)
        notify.info(t('noEnquiry', { name }), {
          action: { label: t('noShow'), onClick: () => void navigate('/dashboard?tab=enquiries') },
        })
      },
      onProperty: ({ title, slug, rejected_reason: reason }, decision) => {
        refetch(listingKeys.all)
        if (decision === 'approved')
          notify.success(t('noApproved', { title }), {
            action: {
              label: t('noShow'),
              onClick: () => void navigate(`/property/${encodeURIComponent(slug)}`),
            },
          })
        else if (decision === 'rejected') notify.warning(t('noRejected', { title, reason }))
      },
      onQueue: ({ title }) => {
        refetch(listingKeys.all)
        notify.info(t('noQueue', { title }))
      },
      onReturn: () => {
        refetch(enquiryKeys.all)
        refetch(listingKeys.all)
      },
    }
    void needSection('property').catch((error) => reportError(error, 'live-notices'))
    return holdChannel(`notices:${user}`, (supabase, topic) =>
      followNotices(supabase, topic, { user, admin }, notices),
    )
  }, [user, admin, client, navigate])
  return null
}
