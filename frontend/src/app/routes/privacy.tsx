import { Page } from '@/components/ui/page'
import { BUSINESS } from '@/config/business'
import { useSeo } from '@/lib/seo'
import { useTranslation } from '@/i18n/use-translation'

const PARTS = [
  ['pvKeep', 'pvKeepText'],
  ['pvUse', 'pvUseText'],
  ['pvShare', 'pvShareText'],
  ['pvBrowser', 'pvBrowserText'],
  ['pvMeasure', 'pvMeasureText'],
  ['pvMaps', 'pvMapsText'],
  ['pvLong', 'pvLongText'],
  ['pvRights', 'pvRightsText'],
] as const

export function Component() {
  const { t } = useTranslation()
  useSeo({ title: t('privacy'), description: t('pvLead'), path: '/privacy-policy' })
  return (
    <Page title={t('privacy')} lead={t('pvLead')} narrow>
      {PARTS.map(([title, text]) => (
        <section key={title} className="mb-6">
          <h2 className="text-xl font-semibold">{t(title)}</h2>
          <p className="mt-2 leading-relaxed wrap-anywhere">{t(text, { email: BUSINESS.email })}</p>
        </section>
      ))}
    </Page>
  )
}
