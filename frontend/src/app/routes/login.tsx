import { usePageMeta } from '@/components/ui/page'
import { EmailForm } from '@/features/auth/components/email-form'
import { PhoneForm } from '@/features/auth/components/phone-form'
import { takeRememberedPath } from '@/features/auth/session'
import { cn } from '@/lib/cn'
import { useAppStore } from '@/stores/app-store'
import { usePageParams } from '@/lib/page-params'
import { useEffect, useState, type KeyboardEvent } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useNavigate } from 'react-router-dom'

const TABS = ['phone', 'email'] as const

export function Component() {
  const { t } = useTranslation()
  usePageMeta(t('login'), true)
  const forgot = usePageParams()[0].get('with') === 'forgot'
  const [chosen, setTab] = useState<(typeof TABS)[number]>()
  const tab = chosen ?? (forgot ? 'email' : 'phone')
  const { isAuthenticated, loading } = useAppStore()
  const navigate = useNavigate()
  useEffect(() => {
    if (isAuthenticated && !loading) void navigate(takeRememberedPath(), { replace: true })
  }, [isAuthenticated, loading, navigate])
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const next = tab === 'phone' ? 'email' : 'phone'
    setTab(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div className="mx-auto max-w-md px-4 pt-28 pb-20">
      <h1 tabIndex={-1} className="text-center text-3xl font-bold">
        {t('signInTitle')}
      </h1>
      <p className="mt-2 text-center text-slate-700 dark:text-slate-300">{t('signInLead')}</p>
      <div className="mt-8 rounded-2xl border border-slate-200 bg-white p-6 shadow-lg dark:border-slate-800 dark:bg-slate-900">
        <div
          role="tablist"
          aria-label={t('signInMethod')}
          onKeyDown={onKey}
          className="mb-6 grid grid-cols-2 rounded-lg bg-slate-100 p-1 dark:bg-slate-800"
        >
          {TABS.map((name) => (
            <button
              key={name}
              id={`tab-${name}`}
              type="button"
              role="tab"
              aria-selected={tab === name}
              aria-controls="sign-in-panel"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => setTab(name)}
              className={cn(
                'h-11 rounded-md font-medium',
                tab === name && 'bg-white shadow-sm dark:bg-slate-950',
              )}
            >
              {t(name === 'phone' ? 'byPhone' : 'byEmail')}
            </button>
          ))}
        </div>
        <div
          role="tabpanel"
          id="sign-in-panel"
          aria-label={`${t('signInMethod')}: ${t(tab === 'phone' ? 'byPhone' : 'byEmail')}`}
        >
          {tab === 'phone' ? <PhoneForm /> : <EmailForm initial={forgot ? 'forgot' : 'in'} />}
        </div>
      </div>
    </div>
  )
}
