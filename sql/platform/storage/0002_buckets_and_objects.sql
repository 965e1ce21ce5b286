-- Buckets and the objects in them; the bytes lie elsewhere.

do $$
begin
    if to_regtype('storage.buckettype') is null then
        create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
    end if;
end
$$;
alter type storage.buckettype add value if not exists 'STANDARD';
alter type storage.buckettype add value if not exists 'ANALYTICS';
alter type storage.buckettype add value if not exists 'VECTOR';

-- Adds a constraint unless the table has one of this name.
create or replace function pg_temp.ensure_constraint(target regclass, name text, definition text) returns void
language plpgsql as $$
begin
    if not exists (select from pg_constraint where conrelid = target and conname = name) then
        execute format('alter table %s add constraint %I %s', target, name, definition);
    end if;
end
$$;

create table if not exists storage.buckets (
    id text not null,
    name text not null,
    owner uuid,
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    public boolean default false,
    avif_autodetection boolean default false,
    file_size_limit bigint,
    allowed_mime_types text[],
    owner_id text,
    type storage.buckettype default 'STANDARD'::storage.buckettype not null,
    versioning_status text default 'DISABLED' not null,
    constraint buckets_pkey primary key (id)
);
alter table storage.buckets
    add column if not exists name text,
    add column if not exists owner uuid,
    add column if not exists created_at timestamptz default now(),
    add column if not exists updated_at timestamptz default now(),
    add column if not exists public boolean default false,
    add column if not exists avif_autodetection boolean default false,
    add column if not exists file_size_limit bigint,
    add column if not exists allowed_mime_types text[],
    add column if not exists owner_id text,
    add column if not exists type storage.buckettype default 'STANDARD'::storage.buckettype not null,
    add column if not exists versioning_status text default 'DISABLED' not null;
select pg_temp.ensure_constraint('storage.buckets', 'buckets_versioning_dark_check', $def$check ((versioning_status = 'DISABLED'))$def$);
select pg_temp.ensure_constraint('storage.buckets', 'buckets_versioning_standard_only_check', $def$check (((type = 'STANDARD'::storage.buckettype) or (versioning_status = 'DISABLED')))$def$);
select pg_temp.ensure_constraint('storage.buckets', 'buckets_versioning_status_check', $def$check ((versioning_status = any (array['DISABLED', 'ENABLED', 'SUSPENDED'])))$def$);
create unique index if not exists bname on storage.buckets (name);
alter table storage.buckets enable row level security;

create table if not exists storage.objects (
    id uuid default gen_random_uuid() not null,
    bucket_id text,
    name text,
    owner uuid,
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    last_accessed_at timestamptz default now(),
    metadata jsonb,
    path_tokens text[] generated always as (string_to_array(name, '/')) stored,
    version text,
    owner_id text,
    user_metadata jsonb,
    archived_at timestamptz,
    is_delete_marker boolean default false not null,
    is_versioned boolean default false not null,
    constraint objects_pkey primary key (id)
);
alter table storage.objects
    add column if not exists bucket_id text,
    add column if not exists name text,
    add column if not exists owner uuid,
    add column if not exists created_at timestamptz default now(),
    add column if not exists updated_at timestamptz default now(),
    add column if not exists last_accessed_at timestamptz default now(),
    add column if not exists metadata jsonb,
    add column if not exists path_tokens text[] generated always as (string_to_array(name, '/')) stored,
    add column if not exists version text,
    add column if not exists owner_id text,
    add column if not exists user_metadata jsonb,
    add column if not exists archived_at timestamptz,
    add column if not exists is_delete_marker boolean default false not null,
    add column if not exists is_versioned boolean default false not null;
select pg_temp.ensure_constraint('storage.objects', 'objects_bucketId_fkey', $def$foreign key (bucket_id) references storage.buckets(id)$def$);
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);
create index if not exists idx_objects_bucket_id_name on storage.objects (bucket_id, name COLLATE "C");
create index if not exists idx_objects_bucket_id_name_lower on storage.objects (bucket_id, lower(name) COLLATE "C");
create index if not exists name_prefix_search on storage.objects (name text_pattern_ops);
alter table storage.objects enable row level security;
