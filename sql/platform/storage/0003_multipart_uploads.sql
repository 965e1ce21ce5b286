-- Uploads of the S3 protocol that come in parts.

create table if not exists storage.s3_multipart_uploads (
    id text not null,
    in_progress_size bigint default 0 not null,
    upload_signature text not null,
    bucket_id text not null,
    key text collate "C" not null,
    version text not null,
    owner_id text,
    created_at timestamptz default now() not null,
    user_metadata jsonb,
    metadata jsonb,
    constraint s3_multipart_uploads_pkey primary key (id)
);
alter table storage.s3_multipart_uploads
    add column if not exists in_progress_size bigint default 0 not null,
    add column if not exists upload_signature text,
    add column if not exists bucket_id text,
    add column if not exists key text collate "C",
    add column if not exists version text,
    add column if not exists owner_id text,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists user_metadata jsonb,
    add column if not exists metadata jsonb;
select pg_temp.ensure_constraint('storage.s3_multipart_uploads', 's3_multipart_uploads_bucket_id_fkey', $def$foreign key (bucket_id) references storage.buckets(id)$def$);
create index if not exists idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at);
alter table storage.s3_multipart_uploads enable row level security;

create table if not exists storage.s3_multipart_uploads_parts (
    id uuid default gen_random_uuid() not null,
    upload_id text not null,
    size bigint default 0 not null,
    part_number integer not null,
    bucket_id text not null,
    key text collate "C" not null,
    etag text not null,
    owner_id text,
    version text not null,
    created_at timestamptz default now() not null,
    constraint s3_multipart_uploads_parts_pkey primary key (id)
);
alter table storage.s3_multipart_uploads_parts
    add column if not exists upload_id text,
    add column if not exists size bigint default 0 not null,
    add column if not exists part_number integer,
    add column if not exists bucket_id text,
    add column if not exists key text collate "C",
    add column if not exists etag text,
    add column if not exists owner_id text,
    add column if not exists version text,
    add column if not exists created_at timestamptz default now() not null;
select pg_temp.ensure_constraint('storage.s3_multipart_uploads_parts', 's3_multipart_uploads_parts_bucket_id_fkey', $def$foreign key (bucket_id) references storage.buckets(id)$def$);
select pg_temp.ensure_constraint('storage.s3_multipart_uploads_parts', 's3_multipart_uploads_parts_upload_id_fkey', $def$foreign key (upload_id) references storage.s3_multipart_uploads(id) on delete cascade$def$);
alter table storage.s3_multipart_uploads_parts enable row level security;
