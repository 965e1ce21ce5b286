import { STATUSES } from '@/features/listings/labels'
import type { Json } from '@/types/database'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '@/i18n/use-translation'
import { auditOptions } from '../api/audit'
import { useDesk } from '../use-desk'
import { DeskList, joined, RowText, Tag } from './desk-list'

const ACTIONS: Readonly<Record<string, string>> = {
  moderate: 'auModerate',
  verify_buyer: 'adVerifyBuyer',
  unverify_buyer: 'adUnverifyBuyer',
  feature_listing: 'adFeature',
  unfeature_listing: 'adUnfeature',
  verify_listing: 'adVerify',
  unverify_listing: 'adUnverify',
  delete_listing: 'auDeleteListing',
  create_space: 'auCreateSpace',
  update_space: 'auUpdateSpace',
  delete_space: 'auDeleteSpace',
  set_enquiry_status: 'auEnquiryStatus',
  delete_enquiry: 'auDeleteEnquiry',
  close_report: 'auCloseReport',
  reopen_report: 'auReopenReport',
  close_contact_message: 'auCloseMessage',
  reopen_contact_message: 'auReopenMessage',
}
const ENQUIRY: Readonly<Record<string, string>> = {
  new: 'esNew',
  read: 'esRead',
  responded: 'esResponded',
  closed: 'esClosed',
  spam: 'adSpam',
}
const WHEN = new Intl.DateTimeFormat('en-IN', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'Asia/Kolkata',
})

const textIn = (details: Json | null, name: string) => {
  if (details === null || typeof details !== 'object' || Array.isArray(details)) return ''
  const value = details[name]
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : ''
}

export function Audit() {
  const { t } = useTranslation()
  const { page } = useDesk()
  const query = useQuery(auditOptions(page))
  const status = (value: string) => {
    const words: Readonly<Record<string, string>> = { ...ENQUIRY, ...STATUSES }
    return value && t(words[value] ?? value)
  }
  return (
    <DeskList query={query} search={false} empty={t('auNone')}>
      {(row) => {
        const from = status(textIn(row.details, 'from'))
        const to = status(textIn(row.details, 'to'))
        return (
          <>
            <RowText
              title={row.subject ?? t('adGone')}
              tags={<Tag tone="info">{t(ACTIONS[row.action ?? ''] ?? row.action ?? '')}</Tag>}
            >
              {to && <p>{from ? t('auFromTo', { from, to }) : to}</p>}
              {textIn(row.details, 'reason') && <p>{textIn(row.details, 'reason')}</p>}
              {textIn(row.details, 'changed') && (
                <p>{t('auChanged', { fields: textIn(row.details, 'changed') })}</p>
              )}
              <p>
                {joined(
                  row.actor_name || t(row.actor ? 'adNameless' : 'auSystem'),
                  row.at && WHEN.format(new Date(row.at)),
                )}
              </p>
            </RowText>
            <span />
          </>
        )
      }}
    </DeskList>
  )
}
