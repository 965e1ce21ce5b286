import { Failure } from '@/components/ui/failure'
import { cardClass, Page } from '@/components/ui/page'
import { RowSkeletons } from '@/components/ui/skeleton'
import { profileOptions } from '@/features/profile/api/profile'
import { AboutForm } from '@/features/profile/components/about-form'
import { Avatar } from '@/features/profile/components/avatar'
import { EmailForm, PasswordForm, PhoneForm } from '@/features/profile/components/contact-forms'
import { DeleteAccount, NotificationSettings, Sessions } from '@/features/profile/components/settings'
import { useAppStore } from '@/stores/app-store'
import { useQuery } from '@tanstack/react-query'
import { useId, type ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'

function Card({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={cardClass}>
      <h2 id={id} className="mb-5 text-xl font-semibold">
        {title}
      </h2>
      {children}
    </section>
  )
}

export function Component() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user?.id ?? '')
  const { data, error, isFetching, refetch } = useQuery(profileOptions(user))
  return (
    <Page title={t('profile')} lead={t('pfLead')} noindex narrow>
      {data ? (
        <div className="space-y-6">
          <Card title={t('pfAbout')}>
            <div className="space-y-6">
              <Avatar profile={data} />
              <AboutForm key={data.id} profile={data} />
            </div>
          </Card>
          <Card title={t('pfContact')}>
            <div className="space-y-6">
              <PhoneForm key={data.phone} profile={data} />
              <EmailForm key={data.email} profile={data} />
            </div>
          </Card>
          <Card title={t('pfNotifications')}>
            <NotificationSettings profile={data} />
          </Card>
          <Card title={t('pfPassword')}>
            <PasswordForm />
          </Card>
          <Card title={t('pfSessions')}>
            <Sessions />
          </Card>
          <Card title={t('pfDelete')}>
            <DeleteAccount user={user} />
          </Card>
        </div>
      ) : error ? (
        <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <RowSkeletons count={4} lines={6} className="space-y-6" />
      )}
    </Page>
  )
}
