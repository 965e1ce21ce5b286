import { buttonVariants } from '@/components/ui/button'
import { cardClass, Page } from '@/components/ui/page'
import { breadcrumbs, useSeo } from '@/lib/seo'
import {
  Building2,
  Heart,
  Languages,
  Map as MapIcon,
  MessageSquare,
  Scale,
  Search,
  ShieldCheck,
} from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

const FEATURES = [
  ['cpSearch', 'cpSearchText', '/search', Search],
  ['cpMap', 'cpMapText', '/search?view=map', MapIcon],
  ['cpCompare', 'cpCompareText', '/compare', Scale],
  ['cpCoworking', 'cpCoworkingText', '/coworking', Building2],
  ['cpShortlist', 'cpShortlistText', '/shortlisted-properties', Heart],
  ['cpDirect', 'cpDirectText', '/commercial', MessageSquare],
  ['cpReview', 'cpReviewText', '/list-property', ShieldCheck],
  ['cpLanguages', 'cpLanguagesText', '/about-us', Languages],
] as const
const PEOPLE = [
  ['cpSeekers', 'cpSeekersText'],
  ['cpOwners', 'cpOwnersText'],
  ['cpOperators', 'cpOperatorsText'],
] as const

export function Component() {
  const { t } = useTranslation()
  useSeo({
    title: t('cpTitle'),
    description: t('cpLead'),
    path: '/comprehensive-platform',
    data: [
      breadcrumbs([
        [t('home'), '/'],
        [t('cpTitle'), '/comprehensive-platform'],
      ]),
    ],
  })
  return (
    <Page title={t('cpTitle')} lead={t('cpLead')}>
      <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-4">
        {FEATURES.map(([title, text, to, Icon]) => (
          <li
            key={title}
            className={`${cardClass} relative focus-within:ring-3 focus-within:ring-brand hover:shadow-lg`}
          >
            <Icon aria-hidden className="size-8 text-brand dark:text-blue-300" />
            <h2 className="mt-3 text-lg font-semibold">
              <Link to={to} className="outline-none after:absolute after:inset-0 hover:underline">
                {t(title)}
              </Link>
            </h2>
            <p className="mt-1 text-slate-700 dark:text-slate-300">{t(text)}</p>
          </li>
        ))}
      </ul>
      <h2 className="mt-14 text-2xl font-bold">{t('cpFor')}</h2>
      <dl className="mt-6 grid gap-6 md:grid-cols-3">
        {PEOPLE.map(([who, what]) => (
          <div key={who} className="border-l-4 border-brand pl-4 dark:border-blue-300">
            <dt className="text-lg font-semibold">{t(who)}</dt>
            <dd className="mt-1 leading-relaxed">{t(what)}</dd>
          </div>
        ))}
      </dl>
      <Link to="/commercial" className={buttonVariants({ size: 'lg', className: 'mt-12' })}>
        {t('siBrowse')}
      </Link>
    </Page>
  )
}
