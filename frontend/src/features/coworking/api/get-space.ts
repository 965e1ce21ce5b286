import { queryOptions } from '@tanstack/react-query';
import { CallError } from '@/lib/errors';
import { supabase } from '@/lib/supabase';
import { toView } from '../lib/model';
import { coworkingKeys } from './keys';

export const spaceOptions = (slug: string) =>
  queryOptions({
    queryKey: coworkingKeys.detail(slug),
    queryFn: async ({ signal }) => {
      const client = await supabase();
      const space = await client
        .from('coworking_space')
        .select('*')
        .eq('slug', slug)
        .eq('active', true)
        .abortSignal(signal)
        .retry(false)
        .single();
      if (space.error) throw new CallError(space.error.message, space.status, space.error.code);
      const id = space.data.id;
      const [offerings, images] = await Promise.all([
        client
          .from('coworking_offering_type')
          .select('*')
          .eq('coworking_space_id', id)
          .eq('available', true)
          .abortSignal(signal)
          .retry(false),
        client
          .from('coworking_space_images')
          .select('*')
          .eq('coworking_space_id', id)
          .order('order', { ascending: true })
          .abortSignal(signal)
          .retry(false),
      ]);
      if (offerings.error) throw new CallError(offerings.error.message, offerings.status);
      if (images.error) throw new CallError(images.error.message, images.status);
      return toView(space.data, offerings.data, images.data);
    },
  });
