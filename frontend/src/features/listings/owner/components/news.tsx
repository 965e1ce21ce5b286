import { buttonVariants } from '@/components/ui/button'
import { Empty } from '@/components/ui/empty'
import { Failure } from '@/components/ui/failure'
import { RowSkeletons } from '@/components/ui/skeleton'
import { cn } from '@/lib/cn'
import { useQuery } from '@tanstack/react-query'
import { Archive, Bell, CircleCheck, CircleX, MessageSquare } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { date } from '../../money'
import { newsOptions, type News } from '../api/notices'

const SEEN = 'nilam-news-seen'

function lookOf(news: News) {
  if (news.kind === 'enquiry')
    return { Icon: MessageSquare, tint: 'text-brand dark:text-blue-300', to: '/dashboard?tab=enquiries' }
  const path = news.property ? `/property/${encodeURIComponent(news.property.slug)}` : '/my-listings'
  if (news.to === 'active')
    return { Icon: CircleCheck, tint: 'text-emerald-700 dark:text-emerald-400', to: path }
  if (news.to === 'rejected')
    return {
      Icon: CircleX,
      tint: 'text-red-700 dark:text-red-300',
      to: news.property ? `/edit-listing/${news.property.id}?step=review` : '/my-listings',
    }
  return { Icon: Archive, tint: 'text-slate-700 dark:text-slate-300', to: '/my-listings?status=archived' }
}

/** What happened to one's listings; what came since the last look is marked. */
export function NewsList({ user }: { user: string }) {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch } = useQuery(newsOptions(user))
  const [seen] = useState(() => Number(localStorage.getItem(SEEN)) || 0)
  useEffect(() => {
    if (data) localStorage.setItem(SEEN, String(Date.now()))
  }, [data])
  const words = (news: News) => {
    const title = news.property?.title ?? t('ceGone')
    if (news.kind === 'enquiry') return t('nwEnquiry', { name: news.name, title })
    if (news.to === 'active') return t('noApproved', { title })
    return news.to === 'rejected'
      ? t('noRejected', { title, reason: news.reason })
      : t('nwArchived', { title })
  }
  if (!data)
    return error ? (
      <Failure error={error} busy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <RowSkeletons count={8} lines={0} className="space-y-2" />
    )
  if (data.length === 0)
    return (
      <Empty icon={Bell} text={t('nwNone')}>
        <Link to="/my-listings" className={buttonVariants()}>
          {t('mlTitle')}
        </Link>
      </Empty>
    )
  return (
    <ul data-slot="news" className="space-y-2">
      {data.map((news) => {
        const { Icon, tint, to } = lookOf(news)
        const fresh = Date.parse(news.at) > seen
        return (
          <li key={`${news.kind}-${news.id}`}>
            <Link
              to={to}
              className={cn(
                'flex items-start gap-4 rounded-xl border border-slate-200 bg-white p-4 hover:border-slate-400 dark:border-slate-800 dark:bg-slate-900 dark:hover:border-slate-600',
                fresh && 'border-l-4 border-l-brand dark:border-l-blue-400',
              )}
            >
              <Icon aria-hidden className={cn('mt-0.5 size-5 shrink-0', tint)} />
              <span className="min-w-0 grow wrap-anywhere">
                <span className={cn(fresh && 'font-semibold')}>{words(news)}</span>
                {fresh && <span className="sr-only"> {t('nwFresh')}</span>}
              </span>
              <time dateTime={news.at} className="shrink-0 text-sm text-slate-700 dark:text-slate-300">
                {date(news.at)}
              </time>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
