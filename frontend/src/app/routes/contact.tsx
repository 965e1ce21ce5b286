import { MapFrame } from '@/components/ui/map-frame'
import { Page } from '@/components/ui/page'
import { BUSINESS } from '@/config/business'
import { ContactDetails, ContactForm } from '@/features/site/components/contact-form'
import { breadcrumbs, useSeo } from '@/lib/seo'
import { useTranslation } from '@/i18n/use-translation'

export function Component() {
  const { t } = useTranslation()
  useSeo({
    title: t('contact'),
    description: t('coLead'),
    path: '/contact',
    data: [
      breadcrumbs([
        [t('home'), '/'],
        [t('contact'), '/contact'],
      ]),
    ],
  })
  return (
    <Page title={t('contact')} lead={t('coLead')}>
      <div className="grid items-start gap-6 *:min-w-0 lg:grid-cols-[3fr_2fr]">
        <ContactForm />
        <div>
          <ContactDetails />
          <MapFrame name="Nilam" point={BUSINESS.point} />
        </div>
      </div>
    </Page>
  )
}
