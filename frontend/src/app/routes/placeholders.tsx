import { buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { BUSINESS } from '@/config/business'
import { ComingSoon } from '@/features/site/components/coming-soon'
import { useSeo } from '@/lib/seo'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

export function Messages() {
  const { t } = useTranslation()
  return (
    <ComingSoon title={t('siMessages')} heading={t('siMessagesSoon')}>
      <p>{t('siMessagesText')}</p>
    </ComingSoon>
  )
}

export function Viewings() {
  const { t } = useTranslation()
  return (
    <ComingSoon title={t('siViewings')} heading={t('siViewingsSoon')}>
      <p>{t('siViewingsText')}</p>
    </ComingSoon>
  )
}

export function Settings() {
  const { t } = useTranslation()
  return (
    <ComingSoon title={t('siSettings')} heading={t('siSettingsSoon')}>
      <Link to="/profile" className={buttonVariants()}>
        {t('siToProfile')}
      </Link>
    </ComingSoon>
  )
}

const QUICK = [
  ['/contact', 'siContactUs'],
  ['/about-us', 'siAbout'],
  ['/privacy-policy', 'privacy'],
] as const

export function Help() {
  const { t } = useTranslation()
  useSeo({ title: t('siHelp'), description: t('siHelpLead'), path: '/help' })
  return (
    <ComingSoon title={t('siHelp')} heading={t('siHelpSoon')} noindex={false}>
      <p>{t('siPhoneSupport', { phone: BUSINESS.phone })}</p>
      <p>
        {t('siMailSupport')}{' '}
        <a className="inline-block py-1 underline" href={`mailto:${BUSINESS.email}`}>
          {BUSINESS.email}
        </a>
      </p>
      <p>{t('siChatSoon')}</p>
      <h3 className="pt-2 font-semibold">{t('siQuick')}</h3>
      <div className="flex flex-wrap gap-2">
        {QUICK.map(([to, name]) => (
          <Link key={to} to={to} className={buttonVariants({ variant: 'secondary' })}>
            {t(name)}
          </Link>
        ))}
      </div>
    </ComingSoon>
  )
}

export function NotFound() {
  const { t } = useTranslation()
  return (
    <Page title={t('siNotFound')} noindex narrow lead={t('siNotFoundText')}>
      <form action="/search" role="search" className="mb-6 flex max-w-md gap-2">
        <input
          name="q"
          type="search"
          aria-label={t('cwSearch')}
          placeholder={t('hmPlaceholder')}
          className="h-11 min-w-0 grow rounded-lg border border-slate-400 bg-white px-3 dark:border-slate-500 dark:bg-slate-900"
        />
        <button type="submit" className={buttonVariants()}>
          {t('hmSearch')}
        </button>
      </form>
      <div className="flex flex-wrap gap-3">
        <Link
          to="/"
          className={buttonVariants({ variant: 'outline', className: 'h-auto! min-h-11 whitespace-normal!' })}
        >
          {t('erHome')}
        </Link>
        <Link
          to="/coworking"
          className={buttonVariants({ variant: 'outline', className: 'h-auto! min-h-11 whitespace-normal!' })}
        >
          {t('siSearchSpaces')}
        </Link>
      </div>
    </Page>
  )
}
