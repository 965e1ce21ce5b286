import { holdChannel } from '@/lib/hold-channel'
import { Eye } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { watchViewers } from '../viewers'

/** Long enough for the page to be there first, and for whoever only passes through not to be counted. */
const JOIN_AFTER = 1500

export function Viewers({ id }: { id: string }) {
  const { t } = useTranslation()
  const [count, setCount] = useState(0)
  useEffect(() => {
    let leave: (() => void) | undefined
    const timer = setTimeout(() => {
      leave = holdChannel(`property:${id}`, (supabase, topic) => watchViewers(supabase, topic, setCount))
    }, JOIN_AFTER)
    return () => {
      clearTimeout(timer)
      leave?.()
    }
  }, [id])
  return (
    <p role="status" data-slot="viewers" className="text-sm font-medium">
      {count >= 2 && (
        <span className="flex items-center gap-2 pt-3">
          <Eye aria-hidden className="size-4" /> {t('prViewing', { count })}
        </span>
      )}
    </p>
  )
}
