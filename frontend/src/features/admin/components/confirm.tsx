import { Button } from '@/components/ui/button'
import { messageFor } from '@/lib/errors'
import { useEffect, useId, useRef, type FormEvent, type ReactNode } from 'react'
import { useTranslation } from '@/i18n/use-translation'

type Props = {
  title: string
  action: string
  destructive?: boolean
  busy: boolean
  error: unknown
  children?: ReactNode
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something is done. Enter does it, Escape does not. */
export function Confirm({ title, action, destructive, busy, error, children, onConfirm, onClose }: Props) {
  const { t } = useTranslation()
  const bare = !children
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const answer = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    // Where nothing is to be written first, Enter is the answer.
    if (bare) answer.current?.focus()
  }, [bare])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onConfirm()
  }
  return (
    <dialog
      ref={dialog}
      data-slot="confirm"
      aria-labelledby={id}
      onClose={onClose}
      className="m-auto max-h-[calc(100dvh-2rem)] w-[min(32rem,calc(100vw-2rem))] rounded-2xl bg-white p-6 text-slate-900 backdrop:bg-black/60 dark:bg-slate-900 dark:text-slate-100"
    >
      <form noValidate className="space-y-4" onSubmit={submit}>
        <h2 id={id} className="text-xl font-semibold wrap-anywhere">
          {title}
        </h2>
        {children}
        {error !== null && error !== undefined && (
          <p role="alert" className="rounded-lg bg-red-50 p-3 text-red-800 dark:bg-red-950 dark:text-red-100">
            {messageFor(error)}
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-3">
          <Button variant="outline" onClick={() => dialog.current?.close()}>
            {t('prCancel')}
          </Button>
          <Button
            type="submit"
            ref={answer}
            variant={destructive ? 'destructive' : 'default'}
            disabled={busy}
          >
            {action}
          </Button>
        </div>
      </form>
    </dialog>
  )
}
