import { Button } from '@/components/ui/button'
import { Failure } from '@/components/ui/failure'
import { Bar, Skeleton } from '@/components/ui/skeleton'
import { messageFor, reportError } from '@/lib/errors'
import { notify } from '@/lib/toast'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FileText, Lock, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from '@/i18n/use-translation'
import { nameOfPaper, openPaper, paperFolder, PAPERS, papersOptions, pathOfPaper } from '../api/papers'
import type { OwnListing } from '../api/listing'
import { removeFiles } from '../api/photos'
import { checkFile, KINDS_OF_UPLOAD } from '../upload/check-file'
import { send } from '../upload/send'
import type { Upload } from '../use-photos'
import { useForm } from './form-context'
import { DropZone } from './step-photos'
import { UploadTile } from './upload-tile'

/** Floor plans and papers for the review. Nobody but the owner and the team can open them. */
export function Papers({ listing }: { listing: OwnListing }) {
  const { t } = useTranslation()
  const { user } = useForm()
  const client = useQueryClient()
  const options = papersOptions(user, listing.id)
  const { data, error, isFetching, refetch } = useQuery(options)
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const held = useRef(new Map<string, { file: File; abort: AbortController }>())
  const folder = paperFolder(user, listing.id)
  useEffect(() => {
    const current = held.current
    return () => current.forEach(({ abort }) => abort.abort())
  }, [])

  const patch = (key: string, changes: Partial<Upload>) =>
    setUploads((before) => before.map((each) => (each.key === key ? { ...each, ...changes } : each)))
  const forget = (key: string) => {
    held.current.get(key)?.abort.abort()
    held.current.delete(key)
    setUploads((before) => before.filter((each) => each.key !== key))
  }
  const start = async (key: string) => {
    const entry = held.current.get(key)
    if (!entry) return
    patch(key, { state: 'preparing', problem: undefined })
    const checked = await checkFile('paper', entry.file)
    if ('refused' in checked)
      return patch(key, { state: 'failed', problem: t(checked.refused), again: false })
    patch(key, { state: 'sending', share: 0 })
    try {
      await send({
        bucket: PAPERS,
        path: pathOfPaper(folder, entry.file.name),
        file: new Blob([entry.file], { type: checked.type }),
        type: checked.type,
        onProgress: (share) => patch(key, { share }),
        signal: entry.abort.signal,
      })
      forget(key)
      await client.invalidateQueries({ queryKey: options.queryKey })
    } catch (error) {
      if (entry.abort.signal.aborted) return
      reportError(error, 'paper-upload')
      patch(key, { state: 'failed', problem: messageFor(error), again: true })
    }
  }
  const add = (files: readonly File[]) => {
    const next = files.map((file): Upload => {
      const key = crypto.randomUUID()
      held.current.set(key, { file, abort: new AbortController() })
      return { key, name: file.name, preview: '', state: 'waiting', share: 0 }
    })
    setUploads((before) => [...before, ...next])
    for (const { key } of next) void start(key)
  }
  const retry = (key: string) => {
    const entry = held.current.get(key)
    if (entry) held.current.set(key, { ...entry, abort: new AbortController() })
    void start(key)
  }
  const open = (name: string) => {
    // Opened by the click itself; a window that is opened later is taken for an advertisement.
    const view = window.open('about:blank', '_blank')
    openPaper(`${folder}/${name}`)
      .then((url) => {
        if (view) view.location.href = url
      })
      .catch((error) => {
        view?.close()
        notify.failure(error, 'paper')
      })
  }
  const remove = async (name: string) => {
    try {
      await removeFiles(PAPERS, [`${folder}/${name}`])
      client.setQueryData(options.queryKey, (before) => before?.filter((paper) => paper.name !== name))
      notify.success(t('paRemoved'))
    } catch (error) {
      notify.failure(error, 'paper')
    }
  }
  return (
    <section data-slot="papers">
      <h3 className="flex items-center gap-2 text-lg font-semibold">
        <Lock aria-hidden className="size-5" /> {t('paTitle')}
        <span className="text-sm font-normal text-slate-600 dark:text-slate-400">{t('lfOptional')}</span>
      </h3>
      <p className="mt-1 mb-4 text-sm text-slate-700 dark:text-slate-300">{t('paText')}</p>
      <DropZone accept={KINDS_OF_UPLOAD.paper.types} label={t('paAdd')} onFiles={add}>
        <p className="text-sm text-slate-700 dark:text-slate-300">{t('paRules')}</p>
      </DropZone>
      {error && !data ? (
        <Failure error={error} busy={isFetching} onRetry={() => void refetch()} className="mt-4" />
      ) : !data ? (
        <Skeleton className="mt-4">
          <Bar className="h-13 w-full rounded-xl" />
        </Skeleton>
      ) : (
        data.length === 0 && uploads.length === 0 && <p className="mt-4 text-sm">{t('paNone')}</p>
      )}
      {(data?.length ?? 0) + uploads.length > 0 && (
        <ul className="mt-4 space-y-2">
          {data?.map(({ id, name }) => (
            <li
              key={id ?? name}
              className="flex items-center gap-3 rounded-xl border border-slate-300 py-1 pr-1 pl-3 dark:border-slate-700"
            >
              <FileText aria-hidden className="size-5 shrink-0" />
              <button
                type="button"
                className="min-h-11 min-w-0 grow truncate text-left text-sm underline"
                onClick={() => open(name)}
              >
                {nameOfPaper(name)}
              </button>
              <Button
                variant="ghost"
                size="icon"
                aria-label={t('paRemove', { name: nameOfPaper(name) })}
                onClick={() => void remove(name)}
              >
                <Trash2 aria-hidden className="size-4" />
              </Button>
            </li>
          ))}
          {uploads.map((upload) => (
            <UploadTile
              key={upload.key}
              upload={upload}
              onRetry={() => retry(upload.key)}
              onForget={() => forget(upload.key)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
