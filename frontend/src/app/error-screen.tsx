import { Button } from '@/components/ui/button'
import { reportError } from '@/lib/errors'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'

export function ErrorScreen({ error }: { error: unknown }) {
  const { t } = useTranslation()
  const [id] = useState(() => Date.now().toString(36).toUpperCase())
  const [reported, setReported] = useState(false)
  return (
    <div className="mx-auto max-w-xl px-4 py-28 text-center">
      <h1 className="text-3xl font-bold">{t('erTitle')}</h1>
      <p className="mt-3">{t('erText')}</p>
      <p className="mt-3 text-sm">
        {t('erId')} <code>{id}</code>
      </p>
      <div className="mt-8 flex flex-wrap justify-center gap-3">
        <Button onClick={() => window.location.reload()}>{t('cwRetry')}</Button>
        <Button variant="outline" onClick={() => window.location.assign('/')}>
          {t('erHome')}
        </Button>
        <Button
          variant="ghost"
          onClick={() => {
            reportError(error, id)
            setReported(true)
          }}
        >
          {t('erReport')}
        </Button>
      </div>
      <p role="status" className="mt-4">
        {reported && t('erReported')}
      </p>
    </div>
  )
}
