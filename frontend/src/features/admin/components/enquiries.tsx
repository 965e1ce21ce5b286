import { readablePhone } from '@/lib/phone'
import { Button } from '@/components/ui/button'
import { controlClass } from '@/components/ui/field'
import { date } from '@/features/listings/money'
import { cn } from '@/lib/cn'
import { notify } from '@/lib/toast'
import type { Enums } from '@/types/database'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { enquiriesOptions, useSetEnquiryStatus } from '../api/enquiries'
import { useDesk } from '../use-desk'
import { Confirm } from './confirm'
import { DeskList, joined, RowActions, RowText, Tag, type Tone } from './desk-list'

const STATUSES: Readonly<Record<Enums<'enquiry_status'>, string>> = {
  new: 'esNew',
  read: 'esRead',
  responded: 'esResponded',
  closed: 'esClosed',
  // Here, and only here, it is called what it is.
  spam: 'adSpam',
}
const TONES: Readonly<Record<Enums<'enquiry_status'>, Tone>> = {
  new: 'wait',
  read: 'info',
  responded: 'good',
  closed: 'plain',
  spam: 'bad',
}
const KNOWN = Object.keys(STATUSES) as Array<Enums<'enquiry_status'>>
type Asked = { id: string; name: string; status: Enums<'enquiry_status'> }

function Ask({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const { t } = useTranslation()
  const id = useId()
  const { mutate, isPending, error } = useSetEnquiryStatus()
  const [to, setTo] = useState(asked.status)
  return (
    <Confirm
      title={t('adStatusOf', { name: asked.name })}
      action={t('adSave')}
      busy={isPending || to === asked.status}
      error={error}
      onConfirm={() =>
        mutate(
          { id: asked.id, to },
          {
            onSuccess: () => {
              notify.success(t('adDone'))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      <div className="space-y-1.5">
        <label htmlFor={id} className="text-sm font-medium">
          {t('adStatus')}
        </label>
        <select
          id={id}
          value={to}
          onChange={({ target: { value } }) => setTo(KNOWN.find((each) => each === value) ?? asked.status)}
          className={cn(controlClass)}
        >
          {KNOWN.map((value) => (
            <option key={value} value={value}>
              {t(STATUSES[value])}
            </option>
          ))}
        </select>
      </div>
    </Confirm>
  )
}

export function Enquiries() {
  const { t } = useTranslation()
  const { q, page, status } = useDesk()
  const query = useQuery(enquiriesOptions({ q, page, status: status(KNOWN) }))
  const [asked, setAsked] = useState<Asked | null>(null)
  return (
    <>
      <DeskList
        query={query}
        none={t('adAnyStatus')}
        empty={t('adNoEnquiries')}
        options={KNOWN.map((value) => [value, t(STATUSES[value])])}
      >
        {(row) => (
          <>
            <RowText title={row.name} tags={<Tag tone={TONES[row.status]}>{t(STATUSES[row.status])}</Tag>}>
              <p>{joined(row.phone && readablePhone(row.phone), row.email, date(row.created_at))}</p>
              <p className="line-clamp-3 whitespace-pre-line text-slate-900 dark:text-slate-100">
                {row.message}
              </p>
              {row.property && (
                <p>
                  <Link to={`/property/${encodeURIComponent(row.property.slug)}`} className="underline">
                    {row.property.title}
                  </Link>
                  {row.owner && ` · ${row.owner.full_name || row.owner.email}`}
                </p>
              )}
            </RowText>
            <RowActions>
              <Button
                size="sm"
                variant="outline"
                aria-label={`${t('adChangeStatus')}: ${row.name}`}
                onClick={() => setAsked({ id: row.id, name: row.name, status: row.status })}
              >
                {t('adChangeStatus')}
              </Button>
            </RowActions>
          </>
        )}
      </DeskList>
      {asked && <Ask asked={asked} onClose={() => setAsked(null)} />}
    </>
  )
}
