import { buttonVariants } from '@/components/ui/button'
import { cardClass, Page } from '@/components/ui/page'
import { breadcrumbs, useSeo } from '@/lib/seo'
import { BadgeCheck, Eye, Handshake, ShieldCheck } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

const VALUES = [
  ['siFree', 'siFreeText', BadgeCheck],
  ['siVerified', 'siVerifiedText', ShieldCheck],
  ['siOpen', 'siOpenText', Eye],
  ['siDirect', 'siDirectText', Handshake],
] as const

export function Component() {
  const { t } = useTranslation()
  useSeo({
    title: t('about'),
    description: t('siAboutLead'),
    path: '/about-us',
    data: [
      breadcrumbs([
        [t('home'), '/'],
        [t('about'), '/about-us'],
      ]),
    ],
  })
  return (
    <Page title={t('about')} lead={t('siAboutLead')}>
      <div className="max-w-3xl space-y-4 leading-relaxed">
        <p>{t('siAbout1')}</p>
        <p>{t('siAbout2')}</p>
      </div>
      <h2 className="mt-12 text-2xl font-bold">{t('siStand')}</h2>
      <ul className="mt-6 grid gap-6 sm:grid-cols-2 lg:grid-cols-4">
        {VALUES.map(([title, text, Icon]) => (
          <li key={title} className={cardClass}>
            <Icon aria-hidden className="size-8 text-brand dark:text-blue-300" />
            <h3 className="mt-3 text-lg font-semibold">{t(title)}</h3>
            <p className="mt-1 text-slate-700 dark:text-slate-300">{t(text)}</p>
          </li>
        ))}
      </ul>
      <h2 className="mt-12 text-2xl font-bold">{t('siWhere')}</h2>
      <p className="mt-3 max-w-3xl leading-relaxed">{t('siWhereText')}</p>
      <div className="mt-8 flex flex-wrap gap-3">
        <Link to="/commercial" className={buttonVariants()}>
          {t('siBrowse')}
        </Link>
        <Link to="/contact" className={buttonVariants({ variant: 'outline' })}>
          {t('siContactUs')}
        </Link>
      </div>
    </Page>
  )
}
