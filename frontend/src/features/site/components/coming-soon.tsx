import { buttonVariants } from '@/components/ui/button'
import { cardClass, Page } from '@/components/ui/page'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'

export function ComingSoon({
  title,
  heading,
  children,
}: {
  title: string
  heading: string
  children: ReactNode
}) {
  return (
    <Page title={title} noindex narrow>
      <div className={cardClass}>
        <h2 className="text-xl font-semibold">{heading}</h2>
        <div className="mt-3 space-y-3">{children}</div>
      </div>
      <Link to="/dashboard" className={buttonVariants({ variant: 'outline', className: 'mt-6' })}>
        Back to Dashboard
      </Link>
    </Page>
  )
}
