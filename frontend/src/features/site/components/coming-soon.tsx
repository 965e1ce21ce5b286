import { buttonVariants } from '@/components/ui/button'
import { cardClass, Page } from '@/components/ui/page'
import type { ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

export function ComingSoon({
  title,
  heading,
  noindex = true,
  children,
}: {
  title: string
  heading: string
  noindex?: boolean
  children: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <Page title={title} noindex={noindex} narrow>
      <div className={cardClass}>
        <h2 className="text-xl font-semibold">{heading}</h2>
        <div className="mt-3 space-y-3">{children}</div>
      </div>
      <Link to="/dashboard" className={buttonVariants({ variant: 'outline', className: 'mt-6' })}>
        {t('siBack')}
      </Link>
    </Page>
  )
}
