import { useTranslation } from '@/i18n/use-translation'
import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react'
import type { Saved } from '../use-listing-form'

const TIME = new Intl.DateTimeFormat('en-IN', { hour: 'numeric', minute: '2-digit' })

/** Says where what is typed has got to. */
export function SavedStamp({ saved, isDraft }: { saved: Saved; isDraft: boolean }) {
  const { t } = useTranslation()
  const icon = 'size-4 shrink-0'
  const words = () => {
    switch (saved.state) {
      case 'saving':
        return [<LoaderCircle key="i" className={`${icon} animate-spin`} />, t('lfSaving')]
      case 'saved':
        return [
          <Check key="i" className={`${icon} text-emerald-700 dark:text-emerald-400`} />,
          t('lfSavedAt', { time: TIME.format(saved.at) }),
        ]
      case 'device':
        return [<CloudOff key="i" className={icon} />, t('lfOnDevice')]
      case 'failed':
        return [
          <TriangleAlert key="i" className={`${icon} text-red-700 dark:text-red-300`} />,
          t('lfNotSaved', { reason: saved.message }),
        ]
      case 'waiting':
        return isDraft ? null : [null, t('lfUnsaved')]
      default:
        return null
    }
  }
  return (
    <p
      role="status"
      data-slot="saved-stamp"
      className="flex items-center gap-1.5 text-sm text-slate-700 max-sm:order-first max-sm:basis-full dark:text-slate-300"
    >
      {words()}
    </p>
  )
}
