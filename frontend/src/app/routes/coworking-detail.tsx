import { buttonVariants } from '@/components/ui/button'
import { Page } from '@/components/ui/page'
import { Spinner } from '@/components/ui/spinner'
import { spaceOptions } from '@/features/coworking/api/get-space'
import { SpaceDetail } from '@/features/coworking/components/space-detail'
import { reportError } from '@/lib/errors'
import { notify } from '@/lib/toast'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, useParams } from 'react-router-dom'

export function Component() {
  const { slug = '' } = useParams()
  const { data, error, isPending } = useQuery(spaceOptions(slug))
  useEffect(() => {
    if (!error) return
    reportError(error, 'coworking-detail')
    notify.error('Failed to load co-working space')
  }, [error])
  if (isPending)
    return (
      <div className="pt-28">
        <Spinner />
      </div>
    )
  if (data) return <SpaceDetail key={data.id} space={data} />
  return (
    <Page title="Co-working Space Not Found" noindex>
      <Link to="/coworking" className={buttonVariants()}>
        Browse all co-working spaces
      </Link>
    </Page>
  )
}
