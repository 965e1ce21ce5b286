import { sortImages } from '@/lib/images'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { coworkingKeys } from './keys'

type Failure = { message: string; code: string } | null
function check(error: Failure, status: number) {
  if (error) throw Object.assign(new Error(error.message), { status, code: error.code })
}

async function getSpace(slug: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const space = await supabase
    .from('coworking_space')
    .select('*')
    .eq('slug', slug)
    .eq('active', true)
    .abortSignal(signal)
    .retry(false)
    .single()
  if (space.error) {
    check(space.error, space.status)
    throw new Error('unreachable')
  }
  const { id } = space.data
  const [offerings, images] = await Promise.all([
    supabase
      .from('coworking_offering_type')
      .select('*')
      .eq('coworking_space_id', id)
      .eq('available', true)
      .abortSignal(signal)
      .retry(false),
    supabase
      .from('coworking_space_images')
      .select('*')
      .eq('coworking_space_id', id)
      .order('order')
      .abortSignal(signal)
      .retry(false),
  ])
  check(offerings.error, offerings.status)
  check(images.error, images.status)
  return { ...space.data, offerings: offerings.data ?? [], images: sortImages(images.data ?? []) }
}

export const spaceOptions = (slug: string) =>
  queryOptions({ queryKey: coworkingKeys.detail(slug), queryFn: ({ signal }) => getSpace(slug, signal) })

export type DetailedSpace = Awaited<ReturnType<typeof getSpace>>
