import { messageFor, reportError, type ErrorType } from '@/lib/errors'
import { describeFieldErrors, type FieldErrors } from '@/lib/fields'
import i18next from 'i18next'

export type ToastKind = 'success' | 'error' | 'warning' | 'info' | 'loading'
export type Action = { label: string; onClick: () => void }
type Options = { description?: string; action?: Action; duration?: number; position?: 'top-right' }
export type Notification = Options & {
  id: number
  kind: ToastKind
  variant: 'default' | 'destructive'
  message: string
  duration: number
  open: boolean
}

export const DURATIONS: Readonly<Record<ToastKind, number>> = {
  success: 4000,
  error: 6000,
  warning: 5000,
  info: 4000,
  // Stays until the outcome replaces it.
  loading: Infinity,
}
/** A dismissed notification leaves the screen at once, and this list only much later. */
export const REMOVE_AFTER = 1_000_000

let entries: Notification[] = []
let lastId = 0
export const notifications = (): readonly Notification[] => entries

let wanted = false
let askFor: (() => void) | undefined
let place: Promise<void> | undefined
let placed = () => {}
/** The place of the notifications is there. */
export const noticesShown = () => placed()

/** Calls back with the first notification, even if it came before; from then on notifications wait for their place to be there. */
export function onFirstNotice(show: () => void) {
  place ??= new Promise((resolve) => (placed = resolve))
  askFor = show
  if (wanted) show()
}

async function sonner() {
  wanted = true
  askFor?.()
  const [library] = await Promise.all([import('sonner'), place])
  return library
}

function close(entry: Notification) {
  if (!entry.open) return
  entry.open = false
  setTimeout(() => {
    entries = entries.filter((other) => other !== entry)
  }, REMOVE_AFTER)
}

function show(kind: ToastKind, message: string, options: Options = {}) {
  entries.forEach(close)
  const entry: Notification = {
    duration: DURATIONS[kind],
    position: 'top-right',
    ...options,
    id: ++lastId,
    kind,
    variant: kind === 'error' ? 'destructive' : 'default',
    message,
    open: true,
  }
  entries.push(entry)
  sonner()
    .then(({ toast }) => {
      toast.dismiss()
      // A newer one may have come while the library was on its way.
      if (!entry.open) return
      toast[kind](message, {
        description: entry.description,
        action: entry.action,
        duration: entry.duration,
        position: entry.position,
        onDismiss: () => close(entry),
        onAutoClose: () => close(entry),
      })
    })
    .catch(() => close(entry))
  return entry.id
}

const PREFIXES: Partial<Record<ErrorType, string>> = { network: '🌐 ', auth: '🔒 ' }

export const notify = {
  success: (message: string, options?: Options) => show('success', message, options),
  error: (message: string, options?: Options) => show('error', message, options),
  warning: (message: string, options?: Options) => show('warning', message, options),
  info: (message: string, options?: Options) => show('info', message, options),
  /** The next notification replaces it, so a submission ends it by saying how it went. */
  loading: (message: string, options?: Options) => show('loading', message, options),

  typed(type: ErrorType, message: string, options?: Options) {
    if (type === 'validation') return show('warning', message, options)
    return show('error', (PREFIXES[type] ?? '') + message, options)
  },

  /** Reports an error and shows it the way its type asks for. */
  failure(error: unknown, context?: string) {
    const { type, retryable } = reportError(error, context)
    return notify.typed(type, messageFor(error), { duration: retryable ? 6000 : 4000 })
  },

  fields(errors: FieldErrors) {
    const several = Object.keys(errors).length > 1
    return notify.typed('validation', describeFieldErrors(errors), { duration: several ? 6000 : 4000 })
  },

  submission(form: string, error: unknown) {
    reportError(error, form)
    return show('error', i18next.t('xeSubmit', { form, reason: messageFor(error) }), {
      action: { label: i18next.t('xeRetry'), onClick: () => window.location.reload() },
    })
  },
}
