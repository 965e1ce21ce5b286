import { getSupabase } from '@/lib/supabase'
import { useMutation } from '@tanstack/react-query'

export type Message = { name: string; email: string; phone: string; subject: string; message: string }

/** What the function said went wrong; its body is JSON or plain text. */
async function reasonOf(answer: Response) {
  const text = await answer.text()
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null)
      for (const name of ['message', 'error', 'msg'] as const) {
        const value = (body as Record<string, unknown>)[name]
        if (typeof value === 'string') return value
      }
  } catch {
    // Not JSON: what it says is said as it is.
  }
  return text
}

/** Sends the form. `website` is a field that people do not see, and only machines fill in. */
async function sendMessage({ website, ...message }: Message & { website: string }) {
  const { functions } = await getSupabase()
  const { error } = await functions.invoke('contact', { body: { ...message, ...(website && { website }) } })
  if (!error) return
  // An answer that says no; anything else did not get through.
  if ('context' in error && error.context instanceof Response) {
    const { status } = error.context
    throw Object.assign(new Error((await reasonOf(error.context)) || String(status)), { status })
  }
  throw error
}

export const useSendMessage = () =>
  // A message that may have arrived is not sent again without being asked.
  useMutation({ mutationFn: sendMessage, retry: false })
