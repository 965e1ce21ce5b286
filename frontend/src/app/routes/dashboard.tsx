import { buttonVariants } from '@/components/ui/button'
import { cardClass, Page } from '@/components/ui/page'
import { ReceivedEnquiries } from '@/features/listings/components/received-enquiries'
import { useAppStore } from '@/stores/app-store'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'

export function Component() {
  const { t } = useTranslation()
  const user = useAppStore((state) => state.user)
  return (
    <Page title={t('dashboard')} lead={user?.name ? t('daHello', { name: user.name }) : undefined} noindex>
      <div className="grid gap-6 sm:grid-cols-2">
        <section className={`${cardClass} sm:col-span-2`}>
          <h2 className="mb-4 text-xl font-semibold">{t('reTitle')}</h2>
          <ReceivedEnquiries />
        </section>
        <section className={cardClass}>
          <h2 className="text-xl font-semibold">{t('daYour')}</h2>
          <p className="mt-2 wrap-anywhere">{user?.email || user?.phone}</p>
          <Link to="/profile" className={buttonVariants({ variant: 'outline', className: 'mt-4' })}>
            {t('profile')}
          </Link>
        </section>
        <section className={cardClass}>
          <h2 className="text-xl font-semibold">{t('daFind')}</h2>
          <p className="mt-2">{t('daFindText')}</p>
          <div className="mt-4 flex flex-wrap gap-3">
            <Link
              to="/commercial"
              className={buttonVariants({ className: 'h-auto! min-h-11 whitespace-normal!' })}
            >
              {t('prBrowse')}
            </Link>
            <Link
              to="/coworking"
              className={buttonVariants({
                variant: 'outline',
                className: 'h-auto! min-h-11 whitespace-normal!',
              })}
            >
              {t('daCoworking')}
            </Link>
          </div>
        </section>
      </div>
    </Page>
  )
}
