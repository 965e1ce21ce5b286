import { Button, buttonVariants } from '@/components/ui/button'
import { StoredImage } from '@/components/ui/stored-image'
import { PLACEHOLDER, sortImages } from '@/lib/images'
import { notify } from '@/lib/toast'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { Link } from 'react-router-dom'
import { adminSpacesOptions, useDeleteSpace, usePatchSpace } from '../api/spaces'
import { useDesk } from '../use-desk'
import { Confirm } from './confirm'
import { DeskList, joined, RowActions, RowText, Tag } from './desk-list'
import { SpaceEditor } from './space-editor'

const DEEDS = {
  feature: { title: 'adFeatureAsk', action: 'adFeature' },
  unfeature: { title: 'adUnfeatureAsk', action: 'adUnfeature' },
  show: { title: 'adShowAsk', action: 'adShow' },
  hide: { title: 'adHideAsk', action: 'adHide' },
  delete: { title: 'adDeleteAsk', action: 'adDelete' },
} as const
type Asked = { deed: keyof typeof DEEDS; id: string; name: string }

function Ask({ asked: { deed, id, name }, onClose }: { asked: Asked; onClose: () => void }) {
  const { t } = useTranslation()
  const patch = usePatchSpace()
  const remove = useDeleteSpace()
  const { title, action } = DEEDS[deed]
  const onSuccess = () => {
    notify.success(t('adDone'))
    onClose()
  }
  const run = () => {
    if (deed === 'delete') remove.mutate(id, { onSuccess })
    else if (deed === 'show' || deed === 'hide')
      patch.mutate({ id, patch: { active: deed === 'show' } }, { onSuccess })
    else patch.mutate({ id, patch: { paid_listing: deed === 'feature' } }, { onSuccess })
  }
  return (
    <Confirm
      title={t(title, { name })}
      action={t(action)}
      destructive={deed === 'delete'}
      busy={patch.isPending || remove.isPending}
      error={patch.error ?? remove.error}
      onConfirm={run}
      onClose={onClose}
    />
  )
}

export function Spaces() {
  const { t } = useTranslation()
  const { q, page, status, id, to } = useDesk()
  const query = useQuery(adminSpacesOptions({ q, page, status: status(['active', 'inactive']) }))
  const [asked, setAsked] = useState<Asked | null>(null)
  const add = (
    <Link to={to({ id: 'new' })} className={buttonVariants()}>
      <Plus aria-hidden className="size-4" /> {t('adNewSpace')}
    </Link>
  )
  if (id) return <SpaceEditor key={id} id={id === 'new' ? null : id} back={to({ id: '' })} />
  return (
    <>
      <DeskList
        query={query}
        none={t('adShownAndHidden')}
        options={[
          ['active', t('adShown')],
          ['inactive', t('adHidden')],
        ]}
        action={add}
        empty={t('adNoSpaces')}
        next={add}
      >
        {(row) => {
          const ask = (deed: Asked['deed']) => () => setAsked({ deed, id: row.id, name: row.name })
          return (
            <>
              <div className="flex min-w-0 gap-4">
                <StoredImage
                  source={sortImages(row.images)[0]?.url ?? row.image_url ?? PLACEHOLDER}
                  alt=""
                  width={96}
                  height={72}
                  sizes="96px"
                  loading="lazy"
                  className="h-18 w-24 shrink-0 rounded-lg max-[360px]:hidden"
                />
                <RowText
                  title={
                    row.active ? (
                      <Link to={`/coworking/${encodeURIComponent(row.slug)}`} className="underline">
                        {row.name}
                      </Link>
                    ) : (
                      row.name
                    )
                  }
                  tags={
                    <>
                      <Tag tone={row.active ? 'good' : 'plain'}>{t(row.active ? 'adShown' : 'adHidden')}</Tag>
                      {row.paid_listing && <Tag tone="wait">{t('featured')}</Tag>}
                    </>
                  }
                >
                  <p>{joined(row.locality, row.city)}</p>
                  <p>
                    {joined(
                      t('adKinds', { count: row.offerings.length }),
                      t('adPictures', { count: row.images.length }),
                    )}
                  </p>
                </RowText>
              </div>
              <RowActions>
                <Link
                  to={to({ id: row.id })}
                  aria-label={`${t('adEdit')}: ${row.name}`}
                  className={buttonVariants({ size: 'sm' })}
                >
                  {t('adEdit')}
                </Link>
                <Button
                  size="sm"
                  variant="outline"
                  aria-label={`${t(row.paid_listing ? 'adUnfeature' : 'adFeature')}: ${row.name}`}
                  onClick={ask(row.paid_listing ? 'unfeature' : 'feature')}
                >
                  {t(row.paid_listing ? 'adUnfeature' : 'adFeature')}
                </Button>
                <Button
                  size="sm"
                  variant="outline"
                  aria-label={`${t(row.active ? 'adHide' : 'adShow')}: ${row.name}`}
                  onClick={ask(row.active ? 'hide' : 'show')}
                >
                  {t(row.active ? 'adHide' : 'adShow')}
                </Button>
                {!row.active && (
                  <Button
                    size="sm"
                    variant="outline"
                    aria-label={`${t('adDelete')}: ${row.name}`}
                    onClick={ask('delete')}
                  >
                    {t('adDelete')}
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
