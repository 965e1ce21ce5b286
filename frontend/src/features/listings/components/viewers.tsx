import { reportError } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import { Eye } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { watchViewers } from '../viewers'

/** Long enough for the page to be there first, and for whoever only passes through not to be counted. */
const JOIN_AFTER = 1500

export function Viewers({ id }: { id: string }) {
  const { t } = useTranslation()
  const [count, setCount] = useState(0)
  useEffect(() => {
    let leave: (() => void) | undefined
    let gone = false
    const timer = setTimeout(() => {
      getSupabase()
        .then((supabase) => {
          if (!gone) leave = watchViewers(supabase, id, setCount)
        })
        .catch((error) => reportError(error, 'viewers'))
    }, JOIN_AFTER)
    return () => {
      gone = true
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
