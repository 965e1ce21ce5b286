import { Button, buttonVariants } from '@/components/ui/button'
import { INTENTS, STATUSES, TYPES } from '@/features/listings/labels'
import { date, shortPrice } from '@/features/listings/money'
import { notify } from '@/lib/toast'
import type { Enums } from '@/types/database'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { listingsOptions, useMarkListing } from '../api/listings'
import { useModerate } from '../api/queue'
import { useDesk } from '../use-desk'
import { Confirm } from './confirm'
import { DeskList, joined, RowActions, RowText, Tag, type Tone } from './desk-list'

export const STATUS_TONES: Readonly<Record<Enums<'property_status'>, Tone>> = {
  draft: 'plain',
  pending: 'wait',
  active: 'good',
  rejected: 'bad',
  archived: 'plain',
}
const KNOWN = Object.keys(STATUSES) as Array<Enums<'property_status'>>

const DEEDS = {
  feature: { title: 'adFeatureAsk', action: 'adFeature', done: 'adDone' },
  unfeature: { title: 'adUnfeatureAsk', action: 'adUnfeature', done: 'adDone' },
  verify: { title: 'adVerifyAsk', action: 'adVerify', done: 'adDone' },
  unverify: { title: 'adUnverifyAsk', action: 'adUnverify', done: 'adDone' },
  archive: { title: 'adArchiveAsk', action: 'adArchive', done: 'adArchived' },
} as const
type Asked = { deed: keyof typeof DEEDS; id: string; name: string }

function Ask({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const { t } = useTranslation()
  const mark = useMarkListing()
  const moderate = useModerate()
  const { deed, id, name } = asked
  const { title, action, done } = DEEDS[deed]
  const onSuccess = () => {
    notify.success(t(done))
    onClose()
  }
  const run = () => {
    if (deed === 'archive') moderate.mutate({ ids: [id], to: 'archived' }, { onSuccess })
    else if (deed === 'feature' || deed === 'unfeature')
      mark.mutate({ id, mark: { featured: deed === 'feature' } }, { onSuccess })
    else mark.mutate({ id, mark: { verified: deed === 'verify' } }, { onSuccess })
  }
  return (
    <Confirm
      title={t(title, { name })}
      action={t(action)}
      destructive={deed === 'archive'}
      busy={mark.isPending || moderate.isPending}
      error={mark.error ?? moderate.error}
      onConfirm={run}
      onClose={onClose}
    />
  )
}

export function Listings() {
  const { t } = useTranslation()
  const { q, page, status, to } = useDesk()
  const query = useQuery(listingsOptions({ q, page, status: status(KNOWN) }))
  const [asked, setAsked] = useState<Asked | null>(null)
  return (
    <>
      <DeskList
        query={query}
        none={t('adAnyStatus')}
        empty={t('adNoListings')}
        next={
          <Link to="/list-property" className={buttonVariants()}>
            {t('listProperty')}
          </Link>
        }
        options={KNOWN.map((value) => [value, t(STATUSES[value])])}
      >
        {(row) => {
          const name = row.title ?? t('adUntitled')
          const ask = (deed: Asked['deed']) => () => setAsked({ deed, id: row.id, name })
          return (
            <>
              <RowText
                title={
                  row.status === 'active' ? (
                    <Link to={`/property/${encodeURIComponent(row.slug)}`} className="underline">
                      {name}
                    </Link>
                  ) : (
                    name
                  )
                }
                tags={
                  <>
                    <Tag tone={STATUS_TONES[row.status]}>{t(STATUSES[row.status])}</Tag>
                    {row.featured && <Tag tone="wait">{t('featured')}</Tag>}
                    {row.verified && <Tag tone="good">{t('baVerified')}</Tag>}
                  </>
                }
              >
                <p>
                  {joined(
                    t(TYPES[row.property_type]),
                    t(INTENTS[row.intent]),
                    row.price === null ? t('onRequest') : shortPrice(row.price),
                    [row.locality, row.city].filter(Boolean).join(', '),
                  )}
                </p>
                <p>
                  {joined(
                    row.owner?.full_name || row.owner?.email || row.owner?.phone,
                    t('adViews', { count: row.view_count }),
                    t('adAsked', { count: row.enquiry_count }),
                    t('adChanged', { date: date(row.updated_at) }),
                  )}
                </p>
              </RowText>
              <RowActions>
                {row.status === 'pending' && (
                  <Link
                    to={to({ tab: 'queue', id: row.id, q: '', status: '', page: '' })}
                    className={buttonVariants({ size: 'sm' })}
                  >
                    {t('adReview')}
                  </Link>
                )}
                {row.status === 'active' && (
                  <>
                    <Button
                      size="sm"
                      variant="outline"
                      onClick={ask(row.featured ? 'unfeature' : 'feature')}
                      aria-label={`${t(row.featured ? 'adUnfeature' : 'adFeature')}: ${name}`}
                    >
                      {t(row.featured ? 'adUnfeature' : 'adFeature')}
                    </Button>
                    <Button
                      size="sm"
                      variant="outline"
                      onClick={ask(row.verified ? 'unverify' : 'verify')}
                      aria-label={`${t(row.verified ? 'adUnverify' : 'adVerify')}: ${name}`}
                    >
                      {t(row.verified ? 'adUnverify' : 'adVerify')}
                    </Button>
                  </>
                )}
                {row.status !== 'archived' && row.status !== 'draft' && (
                  <Button
                    size="sm"
                    variant="outline"
                    onClick={ask('archive')}
                    aria-label={`${t('adArchive')}: ${name}`}
                  >
                    {t('adArchive')}
                  </Button>
                )}
              </RowActions>
            </>
          )
        }}
      </DeskList>
      {asked && <Ask asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}
