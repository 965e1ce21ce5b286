import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useNavigate } from 'react-router-dom'

/** Asks before edits are left behind that are nowhere but on this page. */
export function LeaveGuard({ unsaved, onLeave }: { unsaved: boolean; onLeave: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [wanted, setWanted] = useState<string | null>(null)
  useEffect(() => {
    if (!unsaved) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    const onClick = (event: MouseEvent) => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
        return
      const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement)
      if (!(link instanceof HTMLAnchorElement) || link.target === '_blank') return
      const url = new URL(link.href, window.location.href)
      if (url.origin !== window.location.origin || url.pathname === window.location.pathname) return
      event.preventDefault()
      event.stopPropagation()
      setWanted(url.pathname + url.search + url.hash)
    }
    window.addEventListener('beforeunload', ask)
    document.addEventListener('click', onClick, { capture: true })
    return () => {
      window.removeEventListener('beforeunload', ask)
      document.removeEventListener('click', onClick, { capture: true })
    }
  }, [unsaved])
  if (wanted === null) return null
  return (
    <Dialog title={t('lfLeave')} onClose={() => setWanted(null)}>
      <p>{t('lfLeaveText')}</p>
      <div className="mt-6 flex flex-wrap justify-end gap-3">
        <Button
          variant="outline"
          onClick={() => {
            onLeave()
            void navigate(wanted)
          }}
        >
          {t('lfLeaveYes')}
        </Button>
        <Button onClick={() => setWanted(null)}>{t('lfLeaveNo')}</Button>
      </div>
    </Dialog>
  )
}
