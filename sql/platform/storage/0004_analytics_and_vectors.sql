-- Buckets of other kinds: Iceberg tables and vector indexes.

create table if not exists storage.buckets_analytics (
    name text not null,
    type storage.buckettype default 'ANALYTICS'::storage.buckettype not null,
    format text default 'ICEBERG' not null,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    id uuid default gen_random_uuid() not null,
    deleted_at timestamptz,
    constraint buckets_analytics_pkey primary key (id)
);
alter table storage.buckets_analytics
    add column if not exists name text,
    add column if not exists type storage.buckettype default 'ANALYTICS'::storage.buckettype not null,
    add column if not exists format text default 'ICEBERG' not null,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists updated_at timestamptz default now() not null,
    add column if not exists deleted_at timestamptz;
create unique index if not exists buckets_analytics_unique_name_idx on storage.buckets_analytics (name) where (deleted_at IS NULL);
alter table storage.buckets_analytics enable row level security;

create table if not exists storage.iceberg_namespaces (
    id uuid default gen_random_uuid() not null,
    bucket_name text not null,
    name text collate "C" not null,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    metadata jsonb default '{}'::jsonb not null,
    catalog_id uuid not null,
    constraint iceberg_namespaces_pkey primary key (id)
);
alter table storage.iceberg_namespaces
    add column if not exists bucket_name text,
    add column if not exists name text collate "C",
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists updated_at timestamptz default now() not null,
    add column if not exists metadata jsonb default '{}'::jsonb not null,
    add column if not exists catalog_id uuid;
select pg_temp.ensure_constraint('storage.iceberg_namespaces', 'iceberg_namespaces_catalog_id_fkey', $def$foreign key (catalog_id) references storage.buckets_analytics(id) on delete cascade$def$);
create unique index if not exists idx_iceberg_namespaces_bucket_id on storage.iceberg_namespaces (catalog_id, name);
alter table storage.iceberg_namespaces enable row level security;

create table if not exists storage.iceberg_tables (
    id uuid default gen_random_uuid() not null,
    namespace_id uuid not null,
    bucket_name text not null,
    name text collate "C" not null,
    location text not null,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    remote_table_id text,
    shard_key text,
    shard_id text,
    catalog_id uuid not null,
    constraint iceberg_tables_pkey primary key (id)
);
alter table storage.iceberg_tables
    add column if not exists namespace_id uuid,
    add column if not exists bucket_name text,
    add column if not exists name text collate "C",
    add column if not exists location text,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists updated_at timestamptz default now() not null,
    add column if not exists remote_table_id text,
    add column if not exists shard_key text,
    add column if not exists shard_id text,
    add column if not exists catalog_id uuid;
select pg_temp.ensure_constraint('storage.iceberg_tables', 'iceberg_tables_catalog_id_fkey', $def$foreign key (catalog_id) references storage.buckets_analytics(id) on delete cascade$def$);
select pg_temp.ensure_constraint('storage.iceberg_tables', 'iceberg_tables_namespace_id_fkey', $def$foreign key (namespace_id) references storage.iceberg_namespaces(id) on delete cascade$def$);
create unique index if not exists idx_iceberg_tables_location on storage.iceberg_tables (location);
create unique index if not exists idx_iceberg_tables_namespace_id on storage.iceberg_tables (catalog_id, namespace_id, name);
alter table storage.iceberg_tables enable row level security;

create table if not exists storage.buckets_vectors (
    id text not null,
    type storage.buckettype default 'VECTOR'::storage.buckettype not null,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    constraint buckets_vectors_pkey primary key (id)
);
alter table storage.buckets_vectors
    add column if not exists type storage.buckettype default 'VECTOR'::storage.buckettype not null,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists updated_at timestamptz default now() not null;
alter table storage.buckets_vectors enable row level security;

create table if not exists storage.vector_indexes (
    id text default gen_random_uuid() not null,
    name text collate "C" not null,
    bucket_id text not null,
    data_type text not null,
    dimension integer not null,
    distance_metric text not null,
    metadata_configuration jsonb,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    constraint vector_indexes_pkey primary key (id)
);
alter table storage.vector_indexes
    add column if not exists name text collate "C",
    add column if not exists bucket_id text,
    add column if not exists data_type text,
    add column if not exists dimension integer,
    add column if not exists distance_metric text,
    add column if not exists metadata_configuration jsonb,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists updated_at timestamptz default now() not null;
select pg_temp.ensure_constraint('storage.vector_indexes', 'vector_indexes_bucket_id_fkey', $def$foreign key (bucket_id) references storage.buckets_vectors(id)$def$);
create unique index if not exists vector_indexes_name_bucket_id_idx on storage.vector_indexes (name, bucket_id);
alter table storage.vector_indexes enable row level security;
