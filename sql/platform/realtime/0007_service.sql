-- The service's own schema: whom it serves, within which limits. The original keeps its tenants here.

create table if not exists _realtime.tenants (
    id uuid primary key,
    name text,
    external_id text,
    jwt_secret text,
    max_concurrent_users integer not null default 200,
    inserted_at timestamp(0) not null,
    updated_at timestamp(0) not null,
    max_events_per_second integer not null default 100,
    postgres_cdc_default text default 'postgres_cdc_rls',
    max_bytes_per_second integer not null default 100000,
    max_channels_per_client integer not null default 100,
    max_joins_per_second integer not null default 500
);
-- Until 2023 these were bounded.
alter table _realtime.tenants
    alter column name type text,
    alter column external_id type text,
    alter column jwt_secret type text,
    alter column postgres_cdc_default type text,
    alter column max_concurrent_users set default 200,
    alter column max_events_per_second set default 100;
alter table _realtime.tenants
    add column if not exists suspend boolean default false,
    add column if not exists jwt_jwks jsonb,
    add column if not exists notify_private_alpha boolean default false,
    add column if not exists private_only boolean not null default false,
    add column if not exists migrations_ran integer default 0,
    add column if not exists broadcast_adapter varchar(255) default 'gen_rpc',
    add column if not exists max_presence_events_per_second integer default 1000,
    add column if not exists max_payload_size_in_kb integer default 3000,
    add column if not exists max_client_presence_events_per_window integer,
    add column if not exists client_presence_window_ms integer,
    add column if not exists presence_enabled boolean not null default false,
    add column if not exists feature_flags jsonb not null default '{}',
    add column if not exists gcm_migrated_at timestamp(0);
alter table _realtime.tenants
    alter column broadcast_adapter set default 'gen_rpc',
    alter column max_presence_events_per_second set default 1000;
create unique index if not exists tenants_external_id_index on _realtime.tenants (external_id);
do $$
begin
    if not exists (
        select from pg_constraint
        where conrelid = '_realtime.tenants'::regclass and conname = 'jwt_secret_or_jwt_jwks_required'
    ) then
        alter table _realtime.tenants
            add constraint jwt_secret_or_jwt_jwks_required check (jwt_secret is not null or jwt_jwks is not null);
    end if;
end
$$;

create table if not exists _realtime.extensions (
    id uuid primary key,
    type text,
    settings jsonb,
    tenant_external_id text,
    inserted_at timestamp(0) not null,
    updated_at timestamp(0) not null,
    constraint extensions_tenant_external_id_fkey foreign key (tenant_external_id)
        references _realtime.tenants (external_id) on delete cascade
);
create unique index if not exists extensions_tenant_external_id_type_index on _realtime.extensions (tenant_external_id, type);
create index if not exists extensions_tenant_external_id_index on _realtime.extensions (tenant_external_id);

create table if not exists _realtime.feature_flags (
    id uuid primary key,
    name varchar(255) not null,
    enabled boolean not null default false,
    inserted_at timestamp(0) not null,
    updated_at timestamp(0) not null
);
alter table _realtime.feature_flags
    add column if not exists rollout_percentage integer not null default 100,
    add column if not exists bucket_key varchar(255);
do $$
begin
    if not exists (
        select from pg_constraint
        where conrelid = '_realtime.feature_flags'::regclass and conname = 'rollout_percentage_must_be_between_0_and_100'
    ) then
        alter table _realtime.feature_flags add constraint rollout_percentage_must_be_between_0_and_100
            check (rollout_percentage >= 0 and rollout_percentage <= 100);
    end if;
end
$$;
create unique index if not exists feature_flags_name_index on _realtime.feature_flags (name);
