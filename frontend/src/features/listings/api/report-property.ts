import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { useMutation } from '@tanstack/react-query'

async function reportProperty(id: string, reason: string, details: string) {
  const supabase = await getSupabase()
  const { error, status } = await supabase
    .from('reports')
    .insert({ property_id: id, reason, details: details || null })
  if (error) throw failed(error, status)
}

export const useReportProperty = (id: string) =>
  useMutation({
    mutationFn: ({ reason, details }: { reason: string; details: string }) =>
      reportProperty(id, reason, details),
  })
