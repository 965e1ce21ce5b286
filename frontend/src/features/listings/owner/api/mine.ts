import { failed } from '@/lib/failure'
import { sortImages } from '@/lib/images'
import { getSupabase } from '@/lib/supabase'
import type { Enums, Tables, TablesInsert } from '@/types/database'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { listingKeys } from '../../api/keys'
import { createListing, type OwnListing } from '../../form/api/listing'
import { paperFolder, PAPERS } from '../../form/api/papers'
import { addPhoto, PHOTOS, publicUrl, removeFiles } from '../../form/api/photos'
import { MOVES, type Action } from '../actions'

export const MINE_PER_PAGE = 10
export type MineFilter = {
  status: Enums<'property_status'> | ''
  type: Enums<'property_type'> | ''
  text: string
  page: number
}
const mineKey = [...listingKeys.all, 'mine'] as const
const countsKey = [...listingKeys.all, 'counts'] as const

/** A pattern in which what was typed means itself. */
const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

async function getMine(user: string, { status, type, text, page }: MineFilter, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase
    .from('properties')
    .select('*, images:property_images(*)', { count: 'exact' })
    .eq('owner_id', user)
  if (status) query = query.eq('status', status)
  if (type) query = query.eq('property_type', type)
  if (text) query = query.ilike('title', containing(text))
  const from = (page - 1) * MINE_PER_PAGE
  const answer = await query
    .order('updated_at', { ascending: false })
    .order('id')
    .range(from, from + MINE_PER_PAGE - 1)
    .abortSignal(signal)
    .retry(false)
  // Beyond the end, as after the last one of a page was deleted.
  if (answer.status === 416) return { listings: [], total: 0, beyond: true }
  if (answer.error) throw failed(answer.error, answer.status)
  const listings: OwnListing[] = answer.data.map((row) => ({ ...row, images: sortImages(row.images) }))
  return { listings, total: answer.count ?? listings.length, beyond: false }
}

export const mineOptions = (user: string, filter: MineFilter) =>
  queryOptions({
    queryKey: [...mineKey, user, filter],
    queryFn: ({ signal }) => getMine(user, filter, signal),
    enabled: user !== '',
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

type Counted = Pick<Tables<'properties'>, 'id' | 'title' | 'status' | 'view_count' | 'enquiry_count'>
const MOST = 1000

async function getCounted(user: string, signal: AbortSignal): Promise<Counted[]> {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('properties')
    .select('id, title, status, view_count, enquiry_count')
    .eq('owner_id', user)
    .order('updated_at', { ascending: false })
    .limit(MOST)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data
}

/** All listings of an owner with the little that is counted of them. */
export const countedOptions = (user: string) =>
  queryOptions({
    queryKey: [...countsKey, user],
    queryFn: ({ signal }) => getCounted(user, signal),
    enabled: user !== '',
    staleTime: 0,
  })

async function setStatus(id: string, status: Enums<'property_status'>) {
  const supabase = await getSupabase()
  const answer = await supabase.from('properties').update({ status }).eq('id', id).select('id').single()
  if (answer.error) throw failed(answer.error, answer.status)
}

async function remove(user: string, { id, images }: OwnListing) {
  const supabase = await getSupabase()
  const { data: papers } = await supabase.storage.from(PAPERS).list(paperFolder(user, id))
  const { error, status } = await supabase.from('properties').delete().eq('id', id).select('id').single()
  if (error) throw failed(error, status)
  // What the listing leaves behind; a failure leaves files that nobody sees.
  const folder = paperFolder(user, id)
  await Promise.allSettled([
    removeFiles(
      PHOTOS,
      images.flatMap(({ path }) => (path ? [path] : [])),
    ),
    removeFiles(PAPERS, papers?.map(({ name }) => `${folder}/${name}`) ?? []),
  ])
}

/** What belongs to one listing and not to its copy. */
const OWN_TO_IT = [
  'id',
  'slug',
  'status',
  'owner_id',
  'fts',
  'price_per_sqft',
  'submitted_at',
  'published_at',
  'rejected_reason',
  'reviewed_by',
  'reviewed_at',
  'expires_at',
  'featured',
  'verified',
  'view_count',
  'enquiry_count',
  'created_at',
  'updated_at',
  'images',
] as const

async function duplicate(user: string, listing: OwnListing, title: string) {
  const kept = Object.fromEntries(
    Object.entries(listing).filter(([column]) => !OWN_TO_IT.some((own) => own === column)),
  )
  const copy = await createListing(user, {
    ...(kept as Partial<TablesInsert<'properties'>>),
    intent: listing.intent,
    property_type: listing.property_type,
    title: title.slice(0, 120),
  })
  const supabase = await getSupabase()
  for (const image of listing.images) {
    // Photos that were not uploaded here cannot be copied within the owner's folder.
    if (!image.path?.startsWith(`${user}/`)) continue
    const path = `${user}/${copy.id}/${crypto.randomUUID()}.${image.path.split('.').at(-1)}`
    const { error } = await supabase.storage.from(PHOTOS).copy(image.path, path)
    if (error) continue
    await addPhoto({
      property_id: copy.id,
      path,
      url: await publicUrl(path),
      width: image.width,
      height: image.height,
      alt: image.alt,
      order: image.order,
      is_cover: image.is_cover,
    })
  }
  return copy
}

type Deed = { action: Action; listing: OwnListing; title?: string }

/** Does what an owner does with a listing; gives the copy, where one was made. */
export function useDeed(user: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ action, listing, title = '' }: Deed) => {
      if (action === 'delete') return void (await remove(user, listing))
      if (action === 'duplicate') return duplicate(user, listing, title)
      for (const status of MOVES[action] ?? []) await setStatus(listing.id, status)
    },
    // Not again by itself: the first step of two may have been taken.
    retry: false,
    // Not waited for: with the list anew the listing may be gone from it, and with it whoever wants to hear.
    onSettled: () => void client.invalidateQueries({ queryKey: listingKeys.all }),
  })
}
