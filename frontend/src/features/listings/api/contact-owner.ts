import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { useMutation } from '@tanstack/react-query'

export type Enquiry = { name: string; phone: string; message: string }

/** Sends the enquiry and gets the owner's contact for it; asking again within a day sends nothing. */
async function contactOwner(id: string, { name, phone, message }: Enquiry) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.rpc('contact_owner', {
    property_id: id,
    name,
    phone,
    message,
  })
  if (error) throw failed(error, status)
  return data[0] ?? null
}

export const useContactOwner = (id: string) =>
  useMutation({ mutationFn: (enquiry: Enquiry) => contactOwner(id, enquiry) })
