import { buttonVariants } from '@/components/ui/button'
import { cardClass } from '@/components/ui/page'
import { CircleCheck } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'

/** What happens next, and when. */
export function Submitted() {
  const { t } = useTranslation()
  return (
    <div data-slot="submitted" className={`${cardClass} mx-auto max-w-2xl`}>
      <CircleCheck aria-hidden className="size-12 text-emerald-700 dark:text-emerald-400" />
      <ol className="mt-6 list-decimal space-y-3 pl-5">
        <li>{t('doReview')}</li>
        <li>{t('doTold')}</li>
        <li>{t('doPublic')}</li>
      </ol>
      <div className="mt-8 flex flex-wrap gap-3">
        <Link to="/my-listings" className={buttonVariants()}>
          {t('doMine')}
        </Link>
        <Link to="/list-property" reloadDocument className={buttonVariants({ variant: 'outline' })}>
          {t('doAnother')}
        </Link>
      </div>
    </div>
  )
}
