import { buttonVariants } from '@/components/ui/button'
import { Failure } from '@/components/ui/failure'
import { RowSkeletons } from '@/components/ui/skeleton'
import { messageFor } from '@/lib/errors'
import { notify } from '@/lib/toast'
import { useQuery } from '@tanstack/react-query'
import { ArrowLeft } from 'lucide-react'
import { useTranslation } from '@/i18n/use-translation'
import { Link, useNavigate } from 'react-router-dom'
import { adminSpaceOptions, useSaveSpace, type EditedSpace } from '../api/spaces'
import { EMPTY, textOf, valuesOf, type SpaceText } from '../space-fields'
import { SpaceForm } from './space-form'
import { SpaceImages } from './space-images'

function BackLink({ to }: { to: string }) {
  const { t } = useTranslation()
  return (
    <Link to={to} className={buttonVariants({ variant: 'link', className: 'px-0!' })}>
      <ArrowLeft aria-hidden className="size-4" /> {t('adBackToSpaces')}
    </Link>
  )
}

function Editor({ space, back }: { space: EditedSpace | null; back: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useSaveSpace()
  const save = (text: SpaceText) =>
    mutate(
      { id: space?.id ?? null, values: valuesOf(text) },
      {
        onSuccess: ({ id }) => {
          notify.success(t('adSpaceSaved'))
          // A new one goes on with its pictures, which need it to be there.
          void navigate(space ? back : `/admin?tab=coworking&id=${id}`, { replace: true })
        },
      },
    )
  return (
    <>
      <BackLink to={back} />
      <h2 className="mt-2 mb-6 text-2xl font-bold wrap-anywhere">{space ? space.name : t('adNewSpace')}</h2>
      {space ? (
        <SpaceImages space={space} />
      ) : (
        <p className="mb-6 text-slate-700 dark:text-slate-300">{t('adPicturesLater')}</p>
      )}
      <SpaceForm
        initial={space ? textOf(space) : EMPTY}
        isNew={!space}
        busy={isPending}
        failure={error ? messageFor(error) : ''}
        onSave={save}
      />
    </>
  )
}

/** One co-working space with all that belongs to it; without an id a new one. */
export function SpaceEditor({ id, back }: { id: string | null; back: string }) {
  const { data, error, isFetching, refetch } = useQuery({
    ...adminSpaceOptions(id ?? ''),
    enabled: id !== null,
  })
  if (id === null) return <Editor space={null} back={back} />
  // A form that is open stays, with what was typed, when a later look fails.
  if (data) return <Editor space={data} back={back} />
  return (
    <>
      <BackLink to={back} />
      {error ? (
        <Failure
          error={error}
          busy={isFetching}
          onRetry={() => void refetch()}
          className="py-12 text-center"
        />
      ) : (
        <RowSkeletons lines={5} count={3} className="mt-4 space-y-6" />
      )}
    </>
  )
}
