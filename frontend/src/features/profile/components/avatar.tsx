import { Button } from '@/components/ui/button'
import { notify } from '@/lib/toast'
import { useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { uploadAvatar, useSaveProfile, type Profile } from '../api/profile'
import { square } from '../square'

const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif']
const MOST = 10 * 1024 * 1024

export function Avatar({ profile }: { profile: Profile }) {
  const { t } = useTranslation()
  const save = useSaveProfile(profile.id)
  const [busy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const choose = async (file: File | undefined) => {
    if (!file) return
    if (!TYPES.includes(file.type)) return void notify.warning(t('pfAvatarType'))
    if (file.size > MOST) return void notify.warning(t('pfAvatarLarge'))
    setBusy(true)
    try {
      const url = await uploadAvatar(profile.id, await square(file), profile.avatar_url)
      await save.mutateAsync({ avatar_url: url })
      notify.success(t('pfAvatarSaved'))
    } catch (error) {
      notify.failure(error, 'avatar')
    } finally {
      setBusy(false)
    }
  }
  return (
    <div data-slot="avatar" className="flex flex-wrap items-center gap-5">
      <img
        src={profile.avatar_url ?? '/avatar.svg'}
        alt={t('pfAvatar')}
        width="96"
        height="96"
        className="size-24 rounded-full bg-slate-200 object-cover dark:bg-slate-800"
      />
      <div className="flex flex-wrap gap-3">
        <input
          ref={input}
          type="file"
          accept={TYPES.join(',')}
          aria-label={t('pfAvatarChoose')}
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => {
            void choose(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <Button variant="outline" disabled={busy} onClick={() => input.current?.click()}>
          {t(busy ? 'pfSaving' : 'pfAvatarChoose')}
        </Button>
        {profile.avatar_url && (
          <Button
            variant="ghost"
            disabled={busy || save.isPending}
            onClick={() =>
              save.mutate(
                { avatar_url: null },
                {
                  onSuccess: () => notify.success(t('pfAvatarRemoved')),
                  onError: (error) => notify.failure(error, 'avatar'),
                },
              )
            }
          >
            {t('pfAvatarRemove')}
          </Button>
        )}
      </div>
    </div>
  )
}
