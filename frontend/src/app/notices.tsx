import { noticesShown } from '@/lib/toast'
import { useEffect } from 'react'
import { Toaster } from 'sonner'

/** The place where notifications appear. */
export function Notices({ theme }: { theme: 'light' | 'dark' }) {
  useEffect(noticesShown, [])
  return (
    <Toaster
      position="top-right"
      visibleToasts={1}
      hotkey={['altKey', 'KeyT']}
      containerAriaLabel="Notifications"
      theme={theme}
      richColors
      // Below the header, whose buttons it would cover.
      offset={{ top: 76 }}
      mobileOffset={{ top: 76 }}
      toastOptions={{ classNames: { title: 'whitespace-pre-line' } }}
    />
  )
}
