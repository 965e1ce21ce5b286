import { queryOptions } from '@tanstack/react-query';
import { CallError } from '@/lib/errors';
import { supabase } from '@/lib/supabase';
import { toView } from '../lib/model';
import { coworkingKeys } from './keys';

export const spacesOptions = (city: string) =>
  queryOptions({
    queryKey: coworkingKeys.list(city),
    queryFn: async ({ signal }) => {
      let query = (await supabase())
        .from('coworking_space')
        .select(
          '*, offerings:coworking_offering_type(id, offering_type, price_from, capacity), images:coworking_space_images(id, url, order)',
        )
        .eq('active', true);
      if (city) query = query.ilike('city', `%${city}%`);
      const { data, error, status } = await query
        .order('paid_listing', { ascending: false })
        .order('created_at', { ascending: false })
        .abortSignal(signal)
        .retry(false);
      if (error) throw new CallError(error.message, status, error.code);
      return data.map((row) => toView(row, row.offerings, row.images));
    },
  });
