import type { Answer } from './resize.worker'

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, (answer: Answer) => void>()

/** Makes a photo small enough, away from the page, so that typing goes on meanwhile. */
export function resize(file: Blob) {
  if (!worker) {
    worker = new Worker(new URL('./resize.worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<{ id: number; answer: Answer }>) => {
      waiting.get(data.id)?.(data.answer)
      waiting.delete(data.id)
    }
    worker.onerror = () => {
      for (const answer of waiting.values()) answer({ refused: 'upUnreadable' })
      waiting.clear()
      worker = undefined
    }
  }
  const id = ++lastId
  return new Promise<Answer>((resolve) => {
    waiting.set(id, resolve)
    worker?.postMessage({ id, file })
  })
}
