import { Button } from '@/components/ui/button'
import { Failure } from '@/components/ui/failure'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import { Dialog } from '@/components/ui/dialog'
import { notify } from '@/lib/toast'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { endOtherSessions } from '../api/account'
import { deletionOptions, useAskDeletion, useSaveProfile, type Profile } from '../api/profile'

const CHOICES = {
  enquiry_mail: 'pfEnquiryMail',
  enquiry_sms: 'pfEnquirySms',
  marketing_opt_in: 'pfMarketing',
} as const

/** How somebody wants to be told; each choice is kept at once, and taken back when that fails. */
export function NotificationSettings({ profile }: { profile: Profile }) {
  const { t } = useTranslation()
  const save = useSaveProfile(profile.id)
  // Shown from the press on, until the service has said what the profile is now.
  const [choice, setChoice] = useState<{ over: Profile; name: string; value: boolean } | null>(null)
  return (
    <fieldset className="space-y-1">
      <legend className="sr-only">{t('pfNotifications')}</legend>
      {Object.entries(CHOICES).map(([column, word]) => {
        const name = column as keyof typeof CHOICES
        const noPhone = name === 'enquiry_sms' && !profile.phone_verified
        const isChosen = choice?.over === profile && choice.name === name
        const value = isChosen ? choice.value : profile[name]
        return (
          <label key={name} className="flex min-h-11 cursor-pointer items-center gap-3">
            <input
              type="checkbox"
              checked={value && !noPhone}
              disabled={noPhone || save.isPending}
              onChange={({ target: { checked } }) => {
                setChoice({ over: profile, name, value: checked })
                save.mutate(
                  { [name]: checked },
                  {
                    onSuccess: () => notify.success(t('pfSaved')),
                    onError: (error) => {
                      setChoice(null)
                      notify.failure(error, 'notification-settings')
                    },
                  },
                )
              }}
              className="size-5 accent-brand"
            />
            <span>
              {t(word)}
              {noPhone && (
                <span className="block text-sm text-slate-700 dark:text-slate-300">
                  {t('pfSmsNeedsPhone')}
                </span>
              )}
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}

export function Sessions() {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const end = async () => {
    setBusy(true)
    try {
      await endOtherSessions()
      notify.success(t('pfSessionsEnded'))
    } catch (error) {
      notify.failure(error, 'sessions')
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <p className="mb-4">{t('pfSessionsText')}</p>
      <Button variant="outline" disabled={busy} onClick={() => void end()}>
        {t('pfSessionsEnd')}
      </Button>
    </>
  )
}

export function DeleteAccount({ user }: { user: string }) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = useQuery(deletionOptions(user))
  const ask = useAskDeletion(user)
  const [sure, setSure] = useState(false)
  const perform = (wanted: boolean) => {
    setSure(false)
    ask.mutate(wanted, {
      onSuccess: () => notify.success(t(wanted ? 'pfDeleteAsked' : 'pfDeleteBack')),
      onError: (error) => notify.failure(error, 'delete-account'),
    })
  }
  // Whether it was asked for decides which of two buttons is shown.
  if (data === undefined)
    return error ? (
      <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <Skeleton>
        <Bar className="h-5 w-4/5" />
        <Bar className="mt-4 h-11 w-40" />
      </Skeleton>
    )
  if (data)
    return (
      <>
        <p role="status" className="mb-4">
          {t('pfDeletePending')}
        </p>
        <Button variant="outline" disabled={ask.isPending} onClick={() => perform(false)}>
          {t('pfDeleteUndo')}
        </Button>
      </>
    )
  return (
    <>
      <p className="mb-4">{t('pfDeleteText')}</p>
      <Button variant="destructive" disabled={ask.isPending} onClick={() => setSure(true)}>
        {t('pfDelete')}
      </Button>
      {sure && (
        <Dialog title={t('pfDeleteSure')} onClose={() => setSure(false)}>
          <p>{t('pfDeleteText')}</p>
          <div className="mt-6 flex flex-wrap justify-end gap-3">
            <Button variant="outline" onClick={() => setSure(false)}>
              {t('prCancel')}
            </Button>
            <Button variant="destructive" onClick={() => perform(true)}>
              {t('pfDelete')}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
