import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { listingKeys } from '../../api/keys'

export const PAPERS = 'property-documents'
export const paperFolder = (user: string, id: string) => `${user}/${id}`
/** The name that people gave, behind what makes the path unique. */
export const nameOfPaper = (name: string) => name.replace(/^[0-9a-f-]{36}_/, '')

/** Only what every part of storage takes in a path. */
export const pathOfPaper = (folder: string, name: string) =>
  `${folder}/${crypto.randomUUID()}_${name
    .normalize('NFKD')
    .replace(/[^\w.() -]+/g, '_')
    .slice(-80)}`

async function getPapers(folder: string) {
  const supabase = await getSupabase()
  const { data, error } = await supabase.storage.from(PAPERS).list(folder)
  if (error) throw error
  return data
}

export const papersOptions = (user: string, id: string) =>
  queryOptions({
    queryKey: [...listingKeys.all, 'papers', id],
    queryFn: () => getPapers(paperFolder(user, id)),
    enabled: user !== '' && id !== '',
  })

/** An address that opens the paper for a minute. */
export async function openPaper(path: string) {
  const supabase = await getSupabase()
  const { data, error } = await supabase.storage.from(PAPERS).createSignedUrl(path, 60)
  if (error) throw error
  return data.signedUrl
}
