-- Where uploads go, and who may put them there. The first folder of a path is the uploader.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
    ('property-images', 'property-images', true, 10485760, array['image/jpeg', 'image/png', 'image/webp', 'image/avif']),
    ('avatars', 'avatars', true, 2097152, array['image/jpeg', 'image/png', 'image/webp', 'image/avif']),
    ('coworking-images', 'coworking-images', true, 10485760, array['image/jpeg', 'image/png', 'image/webp', 'image/avif']),
    ('property-documents', 'property-documents', false, 20971520, array['application/pdf', 'image/jpeg', 'image/png'])
on conflict (id) do nothing;

create policy "public marketplace files" on storage.objects for select to anon, authenticated
using (bucket_id in ('property-images', 'avatars', 'coworking-images'));
create policy "owners read their documents" on storage.objects for select to authenticated
using (bucket_id = 'property-documents' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "people upload into their folder" on storage.objects for insert to authenticated
with check (
    bucket_id in ('property-images', 'avatars', 'property-documents')
    and (storage.foldername(name))[1] = (select auth.uid())::text
);
create policy "people replace files in their folder" on storage.objects for update to authenticated
using (
    bucket_id in ('property-images', 'avatars', 'property-documents')
    and (storage.foldername(name))[1] = (select auth.uid())::text
)
with check (
    bucket_id in ('property-images', 'avatars', 'property-documents')
    and (storage.foldername(name))[1] = (select auth.uid())::text
);
create policy "people remove files from their folder" on storage.objects for delete to authenticated
using (
    bucket_id in ('property-images', 'avatars', 'property-documents')
    and (storage.foldername(name))[1] = (select auth.uid())::text
);
create policy "administrators manage marketplace files" on storage.objects for all to authenticated
using (
    bucket_id in ('property-images', 'avatars', 'coworking-images', 'property-documents')
    and (select public.is_admin())
)
with check (
    bucket_id in ('property-images', 'avatars', 'coworking-images', 'property-documents')
    and (select public.is_admin())
);
