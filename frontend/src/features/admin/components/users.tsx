import { readablePhone } from '@/lib/phone'
import { Button } from '@/components/ui/button'
import { date } from '@/features/listings/money'
import { notify } from '@/lib/toast'
import type { Enums } from '@/types/database'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { useVerifyBuyer, usersOptions } from '../api/users'
import { useDesk } from '../use-desk'
import { Confirm } from './confirm'
import { DeskList, joined, RowActions, RowText, Tag } from './desk-list'

const KINDS: Readonly<Record<Enums<'user_type'>, string>> = {
  buyer: 'adBuyer',
  seller: 'adSeller',
  owner: 'adOwner',
  broker: 'adBroker',
}
type Asked = { id: string; name: string; verified: boolean }

function Ask({ asked: { id, name, verified }, onClose }: { asked: Asked; onClose: () => void }) {
  const { t } = useTranslation()
  const { mutate, isPending, error } = useVerifyBuyer()
  return (
    <Confirm
      title={t(verified ? 'adBuyerAsk' : 'adNotBuyerAsk', { name })}
      action={t(verified ? 'adVerifyBuyer' : 'adUnverifyBuyer')}
      busy={isPending}
      error={error}
      onConfirm={() =>
        mutate(
          { id, verified },
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

export function Users() {
  const { t } = useTranslation()
  const { q, page, status } = useDesk()
  const query = useQuery(usersOptions({ q, page, status: status(['verified', 'unverified']) }))
  const [asked, setAsked] = useState<Asked | null>(null)
  return (
    <>
      <p className="mb-4 text-sm text-slate-700 dark:text-slate-300">{t('adRoles')}</p>
      <DeskList
        query={query}
        none={t('adAnyUser')}
        empty={t('adNoUsers')}
        options={[
          ['verified', t('adVerifiedBuyers')],
          ['unverified', t('adOtherUsers')],
        ]}
      >
        {(row) => {
          const name = row.full_name || row.email || row.phone || t('adNameless')
          return (
            <>
              <RowText
                title={name}
                tags={
                  <>
                    {row.administrator && <Tag tone="info">{t('adAdministrator')}</Tag>}
                    {row.verified_buyer && <Tag tone="good">{t('adVerifiedBuyer')}</Tag>}
                    {row.user_type && <Tag>{t(KINDS[row.user_type])}</Tag>}
                  </>
                }
              >
                <p>
                  {joined(
                    row.email,
                    row.phone && `${readablePhone(row.phone)}${row.phone_verified ? ' ✓' : ''}`,
                  ) || '—'}
                </p>
                <p>{joined(row.company, row.city, t('adSince', { date: date(row.created_at) }))}</p>
              </RowText>
              <RowActions>
                <Button
                  size="sm"
                  variant="outline"
                  aria-label={`${t(row.verified_buyer ? 'adUnverifyBuyer' : 'adVerifyBuyer')}: ${name}`}
                  onClick={() => setAsked({ id: row.id, name, verified: !row.verified_buyer })}
                >
                  {t(row.verified_buyer ? 'adUnverifyBuyer' : 'adVerifyBuyer')}
                </Button>
              </RowActions>
            </>
          )
        }}
      </DeskList>
      {asked && <Ask asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}
