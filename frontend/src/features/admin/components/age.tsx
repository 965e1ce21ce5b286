import { useTranslation } from '@/i18n/use-translation'
import { waited } from '../waiting'
import { Tag } from './desk-list'

/** How long it has waited; loud when that is longer than was promised. */
export function Age({ since }: { since: string | null }) {
  const { t } = useTranslation()
  const { unit, count, late } = waited(since)
  return (
    <Tag tone={late ? 'bad' : 'plain'}>
      {t(unit === 'days' ? 'adWaitedDays' : 'adWaitedHours', { count })}
      {late && <span className="sr-only"> {t('adLate')}</span>}
    </Tag>
  )
}
