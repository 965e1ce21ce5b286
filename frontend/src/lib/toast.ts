import type { ErrorType } from '@/lib/errors'

type Action = { label: string; onClick: () => void }
const sonner = () => import('sonner')

function show(
  kind: 'success' | 'error' | 'warning' | 'info',
  message: string,
  duration: number,
  action?: Action,
) {
  void sonner().then(({ toast }) => {
    toast.dismiss()
    toast[kind](message, { duration, action })
  })
}

export const notify = {
  success: (message: string) => show('success', message, 4000),
  error: (message: string, action?: Action) => show('error', message, 6000, action),
  warning: (message: string) => show('warning', message, 5000),
  info: (message: string) => show('info', message, 4000),
  loading: (message: string) =>
    void sonner().then(({ toast }) => {
      toast.dismiss()
      toast.loading(message, { duration: Infinity })
    }),
  typed: (type: ErrorType, message: string) => {
    if (type === 'validation') return notify.warning(message)
    const prefix = type === 'network' ? '🌐 ' : type === 'auth' ? '🔒 ' : ''
    notify.error(prefix + message)
  },
}
