import { readablePhone } from '@/lib/phone'
import { Button } from '@/components/ui/button'
import { STATUSES } from '@/features/listings/labels'
import { date } from '@/features/listings/money'
import { notify } from '@/lib/toast'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { messagesOptions, reportsOptions, useSetHandled } from '../api/desk'
import { useModerate } from '../api/queue'
import { useDesk } from '../use-desk'
import { Confirm } from './confirm'
import { DeskList, joined, RowActions, RowText, Tag } from './desk-list'
import { STATUS_TONES } from './listings'

const REASONS: Readonly<Record<string, string>> = {
  gone: 'rpGone',
  wrong: 'rpWrong',
  fraud: 'rpFraud',
  duplicate: 'rpDuplicate',
  other: 'rpOther',
}

type Asked = { kind: 'report' | 'contact_message'; id: string; name: string; handled: boolean }

function Ask({ asked: { kind, id, name, handled }, onClose }: { asked: Asked; onClose: () => void }) {
  const { t } = useTranslation()
  const { mutate, isPending, error } = useSetHandled()
  return (
    <Confirm
      title={t(handled ? 'adCloseAsk' : 'adReopenAsk', { name })}
      action={t(handled ? 'adClose' : 'adReopen')}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(
          { kind, id, handled },
          {
            onSuccess: () => {
              notify.success(t('adDone'))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}

function ArchiveReported({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { t } = useTranslation()
  const { mutate, isPending, error } = useModerate()
  return (
    <Confirm
      title={t('adArchiveAsk', { name })}
      action={t('adArchive')}
      destructive
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(
          { ids: [id], to: 'archived' },
          {
            onSuccess: () => {
              notify.success(t('adArchived'))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    />
  )
}

const useOptions = () => {
  const { t } = useTranslation()
  return [
    ['open', t('adOpen')],
    ['handled', t('adHandled')],
  ] as const
}

export function Reports() {
  const { t } = useTranslation()
  const { page, status } = useDesk()
  const query = useQuery(reportsOptions({ page, status: status(['open', 'handled']) }))
  const options = useOptions()
  const [asked, setAsked] = useState<Asked | null>(null)
  const [archived, setArchived] = useState<{ id: string; name: string } | null>(null)
  return (
    <>
      <DeskList
        query={query}
        search={false}
        none={t('adOpenAndHandled')}
        options={options}
        empty={t('adNoReports')}
      >
        {(row) => {
          const title = row.property?.title ?? t('adGone')
          const reason = t(REASONS[row.reason] ?? row.reason)
          return (
            <>
              <RowText
                title={reason}
                tags={
                  <>
                    <Tag tone={row.handled_at ? 'good' : 'wait'}>
                      {t(row.handled_at ? 'adHandled' : 'adOpen')}
                    </Tag>
                    {row.property && (
                      <Tag tone={STATUS_TONES[row.property.status]}>{t(STATUSES[row.property.status])}</Tag>
                    )}
                  </>
                }
              >
                <p>
                  {row.property?.status === 'active' ? (
                    <Link to={`/property/${encodeURIComponent(row.property.slug)}`} className="underline">
                      {title}
                    </Link>
                  ) : (
                    title
                  )}
                  {' · '}
                  {date(row.created_at)}
                </p>
                {row.details && (
                  <p className="whitespace-pre-line text-slate-900 dark:text-slate-100">{row.details}</p>
                )}
              </RowText>
              <RowActions>
                {row.property?.status === 'active' && (
                  <Button
                    size="sm"
                    variant="outline"
                    aria-label={`${t('adArchive')}: ${title}`}
                    onClick={() => setArchived({ id: row.property_id, name: title })}
                  >
                    {t('adArchive')}
                  </Button>
                )}
                <Button
                  size="sm"
                  variant="outline"
                  aria-label={`${t(row.handled_at ? 'adReopen' : 'adClose')}: ${title}`}
                  onClick={() =>
                    setAsked({ kind: 'report', id: row.id, name: reason, handled: !row.handled_at })
                  }
                >
                  {t(row.handled_at ? 'adReopen' : 'adClose')}
                </Button>
              </RowActions>
            </>
          )
        }}
      </DeskList>
      {asked && <Ask asked={asked} onClose={() => setAsked(null)} />}
      {archived && <ArchiveReported {...archived} onClose={() => setArchived(null)} />}
    </>
  )
}

export function Messages() {
  const { t } = useTranslation()
  const { page, status } = useDesk()
  const query = useQuery(messagesOptions({ page, status: status(['open', 'handled']) }))
  const options = useOptions()
  const [asked, setAsked] = useState<Asked | null>(null)
  return (
    <>
      <DeskList
        query={query}
        search={false}
        none={t('adOpenAndHandled')}
        options={options}
        empty={t('adNoMessages')}
      >
        {(row) => (
          <>
            <RowText
              title={row.subject || row.name}
              tags={
                <Tag tone={row.handled_at ? 'good' : 'wait'}>
                  {t(row.handled_at ? 'adHandled' : 'adOpen')}
                </Tag>
              }
            >
              <p>
                {joined(row.subject && row.name, row.phone && readablePhone(row.phone), date(row.created_at))}
                {' · '}
                <a href={`mailto:${encodeURIComponent(row.email)}`} className="underline">
                  {row.email}
                </a>
              </p>
              <p className="whitespace-pre-line text-slate-900 dark:text-slate-100">{row.message}</p>
            </RowText>
            <RowActions>
              <Button
                size="sm"
                variant="outline"
                aria-label={`${t(row.handled_at ? 'adReopen' : 'adClose')}: ${row.subject || row.name}`}
                onClick={() =>
                  setAsked({
                    kind: 'contact_message',
                    id: row.id,
                    name: row.subject || row.name,
                    handled: !row.handled_at,
                  })
                }
              >
                {t(row.handled_at ? 'adReopen' : 'adClose')}
              </Button>
            </RowActions>
          </>
        )}
      </DeskList>
      {asked && <Ask asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}
