import { buttonVariants } from '@/components/ui/button'
import { notify } from '@/lib/toast'
import { useAppStore } from '@/stores/app-store'
import { Flag, Printer, Share2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import type { DetailedProperty } from '../api/get-property'
import { CompareToggle } from './compare-toggle'
import { Heart } from './heart'
import { ReportDialog } from './report-dialog'

async function share(title: string, copied: string) {
  const { href } = window.location
  if ('share' in navigator) {
    // Closing the system's sheet is not a failure.
    await navigator.share({ title, url: href }).catch(() => {})
    return
  }
  try {
    await (navigator as Navigator).clipboard.writeText(href)
    notify.success(copied)
  } catch (error) {
    notify.failure(error, 'share')
  }
}

type Props = { property: DetailedProperty; title: string; onSignIn: () => void }

export function PropertyActions({ property, title, onSignIn }: Props) {
  const { t } = useTranslation()
  const isAuthenticated = useAppStore((state) => state.isAuthenticated)
  const [reporting, setReporting] = useState(false)
  const action = buttonVariants({ variant: 'outline', className: 'px-3!' })
  return (
    <div data-slot="property-actions" className="flex flex-wrap gap-2 print:hidden">
      <Heart id={property.id} name={title} withText className={action} />
      <CompareToggle id={property.id} name={title} className={action} />
      <button type="button" className={action} onClick={() => void share(title, t('prCopied'))}>
        <Share2 aria-hidden className="size-4" /> {t('prShare')}
      </button>
      <button type="button" className={`${action} max-sm:hidden`} onClick={() => window.print()}>
        <Printer aria-hidden className="size-4" /> {t('prPrint')}
      </button>
      <button
        type="button"
        className={action}
        onClick={() => (isAuthenticated ? setReporting(true) : onSignIn())}
      >
        <Flag aria-hidden className="size-4" /> {t('prReport')}
      </button>
      {reporting && <ReportDialog id={property.id} onClose={() => setReporting(false)} />}
    </div>
  )
}
