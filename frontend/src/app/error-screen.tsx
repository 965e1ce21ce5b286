import { Button } from '@/components/ui/button'
import { reportError } from '@/lib/errors'
import { useState } from 'react'

export function ErrorScreen({ error }: { error: unknown }) {
  const [id] = useState(() => Date.now().toString(36).toUpperCase())
  const [reported, setReported] = useState(false)
  return (
    <div className="mx-auto max-w-xl px-4 py-28 text-center">
      <h1 className="text-3xl font-bold">Something went wrong</h1>
      <p className="mt-3">We encountered an unexpected error. Don't worry, our team has been notified.</p>
      <p className="mt-3 text-sm">
        Error ID: <code>{id}</code>
      </p>
      <div className="mt-8 flex flex-wrap justify-center gap-3">
        <Button onClick={() => window.location.reload()}>Try Again</Button>
        <Button variant="outline" onClick={() => window.location.assign('/')}>
          Go to Homepage
        </Button>
        <Button
          variant="ghost"
          onClick={() => {
            reportError(error, id)
            setReported(true)
          }}
        >
          Report This Issue
        </Button>
      </div>
      <p role="status" className="mt-4">
        {reported && 'Thank you, the error was reported.'}
      </p>
    </div>
  )
}
