import { loadConfig } from '@/config/env'
import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'

/** Above this a file goes in pieces, so that a lost connection costs one piece and not all of it. */
export const IN_PIECES_FROM = 6 * 1024 * 1024
const CACHE_SECONDS = '3600'

export type Sending = {
  bucket: string
  path: string
  file: Blob
  type: string
  onProgress: (share: number) => void
  signal: AbortSignal
}

const aborted = () => new DOMException('The upload was cancelled.', 'AbortError')

/** Puts a file into storage. Aborting the signal rejects with an `AbortError`. */
export async function send(sending: Sending) {
  if (sending.signal.aborted) throw aborted()
  return sending.file.size > IN_PIECES_FROM ? sendInPieces(sending) : sendAtOnce(sending)
}

async function sendAtOnce({ bucket, path, file, onProgress, signal }: Sending) {
  const supabase = await getSupabase()
  const { data, error } = await supabase.storage.from(bucket).createSignedUploadUrl(path)
  if (error) throw failed(error, 'status' in error ? Number(error.status) : 0)
  const body = new FormData()
  body.append('cacheControl', CACHE_SECONDS)
  body.append('', file)
  await new Promise<void>((resolve, reject) => {
    // The client has no progress, and `fetch` neither.
    const request = new XMLHttpRequest()
    request.open('PUT', data.signedUrl)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0)
    request.onload = () =>
      request.status < 300
        ? resolve()
        : reject(failed({ message: messageIn(request.responseText) }, request.status))
    request.onerror = () => reject(new TypeError('Failed to fetch'))
    request.onabort = () => reject(aborted())
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body)
  })
}

function messageIn(text: string) {
  try {
    const found: unknown = JSON.parse(text)
    const message = typeof found === 'object' && found !== null && 'message' in found ? found.message : ''
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}

async function sendInPieces({ bucket, path, file, type, onProgress, signal }: Sending) {
  const [{ Upload }, supabase, config] = await Promise.all([
    import('tus-js-client'),
    getSupabase(),
    loadConfig(),
  ])
  const { data } = await supabase.auth.getSession()
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: `${config.supabaseUrl}/storage/v1/upload/resumable`,
      retryDelays: [0, 1000, 3000, 5000, 10_000],
      headers: {
        authorization: `Bearer ${data.session?.access_token ?? ''}`,
        apikey: config.supabaseAnonKey,
      },
      uploadDataDuringCreation: true,
      removeFingerprintOnSuccess: true,
      metadata: { bucketName: bucket, objectName: path, contentType: type, cacheControl: CACHE_SECONDS },
      // The service takes no other size.
      chunkSize: IN_PIECES_FROM,
      onProgress: (sent, total) => onProgress(total ? sent / total : 0),
      onSuccess: () => {
        // What is stored is not called off any more.
        signal.removeEventListener('abort', cancel)
        resolve()
      },
      onError: (error) => {
        const status = 'originalResponse' in error ? (error.originalResponse?.getStatus() ?? 0) : 0
        // Without an answer the connection is at fault, whatever the library says.
        reject(status ? failed({ message: error.message }, status) : new TypeError('Failed to fetch'))
      },
    })
    const cancel = () => {
      void upload.abort(true).catch(() => undefined)
      reject(aborted())
    }
    signal.addEventListener('abort', cancel, { once: true })
    upload.start()
  })
}
