-- What happens by itself, and who may do what before policies decide.

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable as $$
    select sum((metadata ->> 'size')::bigint)::bigint, bucket_id from storage.objects group by bucket_id
$$;

-- Tries an insert under the caller's policies and takes it back: an upload is refused before its bytes come.
create or replace function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb)
returns void language plpgsql as $$
begin
    insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
    raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$$;

create or replace trigger update_objects_updated_at before update on storage.objects
    for each row execute function storage.update_updated_at_column();
create or replace trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
    for each row execute function storage.enforce_bucket_name_length();
create or replace trigger protect_buckets_delete before delete on storage.buckets
    for each statement execute function storage.protect_delete();
create or replace trigger protect_objects_delete before delete on storage.objects
    for each statement execute function storage.protect_delete();

grant all on storage.buckets, storage.objects, storage.buckets_analytics to service_role, authenticated, anon;
grant all on storage.buckets, storage.objects to postgres with grant option;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to service_role;
grant all on storage.iceberg_namespaces, storage.iceberg_tables to service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts, storage.iceberg_namespaces,
    storage.iceberg_tables, storage.buckets_vectors, storage.vector_indexes to authenticated, anon;
grant select on storage.buckets_vectors, storage.vector_indexes to service_role;

-- The next set of scripts runs as another role, which could not replace this one.
drop function if exists pg_temp.ensure_constraint(regclass, text, text);
comment on column storage.buckets.owner is 'Field is deprecated, use owner_id instead';
comment on column storage.objects.owner is 'Field is deprecated, use owner_id instead';
alter table storage.migrations enable row level security;
