import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Page } from '@/components/ui/page'
import { getSupabase } from '@/lib/supabase'
import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { useState, type FormEvent } from 'react'

export function Component() {
  const user = useAppStore((state) => state.user)
  const [busy, setBusy] = useState(false)
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('fullName') ?? '').trim()
    setBusy(true)
    try {
      const { error } = await (await getSupabase()).auth.updateUser({ data: { full_name: name } })
      if (error) throw error
      notify.success('Profile saved')
    } catch (error) {
      notify.submission('profile', error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Page title="Profile" noindex narrow>
      <form className="max-w-md space-y-4" onSubmit={(event) => void save(event)}>
        <Field
          label="Full name"
          name="fullName"
          autoComplete="name"
          maxLength={120}
          defaultValue={user?.name}
        />
        <Field label="Email" value={user?.email ?? ''} readOnly />
        <Field label="Phone" value={user?.phone ?? ''} readOnly />
        <Button type="submit" disabled={busy}>
          Save
        </Button>
      </form>
    </Page>
  )
}
