-- Accounts, and the identities by which they are reached. Also the schema's oldest tables.

-- Adds a constraint unless the table has one of this name.
create or replace function pg_temp.ensure_constraint(target regclass, name text, definition text) returns void
language plpgsql as $$
begin
    if not exists (select from pg_constraint where conrelid = target and conname = name) then
        execute format('alter table %s add constraint %I %s', target, name, definition);
    end if;
end
$$;

create table if not exists auth.users (
    instance_id uuid,
    id uuid not null,
    aud varchar(255),
    role varchar(255),
    email varchar(255),
    encrypted_password varchar(255),
    email_confirmed_at timestamptz,
    invited_at timestamptz,
    confirmation_token varchar(255),
    confirmation_sent_at timestamptz,
    recovery_token varchar(255),
    recovery_sent_at timestamptz,
    email_change_token_new varchar(255),
    email_change varchar(255),
    email_change_sent_at timestamptz,
    last_sign_in_at timestamptz,
    raw_app_meta_data jsonb,
    raw_user_meta_data jsonb,
    is_super_admin boolean,
    created_at timestamptz,
    updated_at timestamptz,
    phone text default null::character varying,
    phone_confirmed_at timestamptz,
    phone_change text default ''::character varying,
    phone_change_token varchar(255) default '',
    phone_change_sent_at timestamptz,
    confirmed_at timestamptz generated always as (LEAST(email_confirmed_at, phone_confirmed_at)) stored,
    email_change_token_current varchar(255) default '',
    email_change_confirm_status smallint default 0,
    banned_until timestamptz,
    reauthentication_token varchar(255) default '',
    reauthentication_sent_at timestamptz,
    is_sso_user boolean default false not null,
    deleted_at timestamptz,
    is_anonymous boolean default false not null,
    constraint users_pkey primary key (id),
    constraint users_phone_key unique (phone)
);
alter table auth.users
    add column if not exists instance_id uuid,
    add column if not exists aud varchar(255),
    add column if not exists role varchar(255),
    add column if not exists email varchar(255),
    add column if not exists encrypted_password varchar(255),
    add column if not exists email_confirmed_at timestamptz,
    add column if not exists invited_at timestamptz,
    add column if not exists confirmation_token varchar(255),
    add column if not exists confirmation_sent_at timestamptz,
    add column if not exists recovery_token varchar(255),
    add column if not exists recovery_sent_at timestamptz,
    add column if not exists email_change_token_new varchar(255),
    add column if not exists email_change varchar(255),
    add column if not exists email_change_sent_at timestamptz,
    add column if not exists last_sign_in_at timestamptz,
    add column if not exists raw_app_meta_data jsonb,
    add column if not exists raw_user_meta_data jsonb,
    add column if not exists is_super_admin boolean,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists phone text default null::character varying,
    add column if not exists phone_confirmed_at timestamptz,
    add column if not exists phone_change text default ''::character varying,
    add column if not exists phone_change_token varchar(255) default '',
    add column if not exists phone_change_sent_at timestamptz,
    add column if not exists confirmed_at timestamptz generated always as (LEAST(email_confirmed_at, phone_confirmed_at)) stored,
    add column if not exists email_change_token_current varchar(255) default '',
    add column if not exists email_change_confirm_status smallint default 0,
    add column if not exists banned_until timestamptz,
    add column if not exists reauthentication_token varchar(255) default '',
    add column if not exists reauthentication_sent_at timestamptz,
    add column if not exists is_sso_user boolean default false not null,
    add column if not exists deleted_at timestamptz,
    add column if not exists is_anonymous boolean default false not null;
select pg_temp.ensure_constraint('auth.users', 'users_phone_key', $def$unique (phone)$def$);
select pg_temp.ensure_constraint('auth.users', 'users_email_change_confirm_status_check', $def$check (((email_change_confirm_status >= 0) and (email_change_confirm_status <= 2)))$def$);
create unique index if not exists confirmation_token_idx on auth.users (confirmation_token) where ((confirmation_token) !~ '^[0-9 ]*$');
create unique index if not exists email_change_token_current_idx on auth.users (email_change_token_current) where ((email_change_token_current) !~ '^[0-9 ]*$');
create unique index if not exists email_change_token_new_idx on auth.users (email_change_token_new) where ((email_change_token_new) !~ '^[0-9 ]*$');
create unique index if not exists reauthentication_token_idx on auth.users (reauthentication_token) where ((reauthentication_token) !~ '^[0-9 ]*$');
create unique index if not exists recovery_token_idx on auth.users (recovery_token) where ((recovery_token) !~ '^[0-9 ]*$');
create unique index if not exists users_email_partial_key on auth.users (email) where (is_sso_user = false);
create index if not exists users_instance_id_email_idx on auth.users (instance_id, lower((email)));
create index if not exists users_instance_id_idx on auth.users (instance_id);
create index if not exists users_is_anonymous_idx on auth.users (is_anonymous);
comment on table auth.users is 'Auth: Stores user login data within a secure schema.';
alter table auth.users enable row level security;

create table if not exists auth.identities (
    provider_id text not null,
    user_id uuid not null,
    identity_data jsonb not null,
    provider text not null,
    last_sign_in_at timestamptz,
    created_at timestamptz,
    updated_at timestamptz,
    email text generated always as (lower((identity_data ->> 'email'))) stored,
    id uuid default gen_random_uuid() not null,
    constraint identities_pkey primary key (id),
    constraint identities_provider_id_provider_unique unique (provider_id, provider)
);
alter table auth.identities
    add column if not exists provider_id text,
    add column if not exists user_id uuid,
    add column if not exists identity_data jsonb,
    add column if not exists provider text,
    add column if not exists last_sign_in_at timestamptz,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists email text generated always as (lower((identity_data ->> 'email'))) stored;
select pg_temp.ensure_constraint('auth.identities', 'identities_provider_id_provider_unique', $def$unique (provider_id, provider)$def$);
select pg_temp.ensure_constraint('auth.identities', 'identities_user_id_fkey', $def$foreign key (user_id) references users(id) on delete cascade$def$);
create index if not exists identities_email_idx on auth.identities (email text_pattern_ops);
create index if not exists identities_user_id_idx on auth.identities (user_id);
comment on table auth.identities is 'Auth: Stores identities associated to a user.';
alter table auth.identities enable row level security;

create table if not exists auth.instances (
    id uuid not null,
    uuid uuid,
    raw_base_config text,
    created_at timestamptz,
    updated_at timestamptz,
    constraint instances_pkey primary key (id)
);
alter table auth.instances
    add column if not exists uuid uuid,
    add column if not exists raw_base_config text,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz;
comment on table auth.instances is 'Auth: Manages users across multiple sites.';
alter table auth.instances enable row level security;

create table if not exists auth.audit_log_entries (
    instance_id uuid,
    id uuid not null,
    payload json,
    created_at timestamptz,
    ip_address varchar(64) default '' not null,
    constraint audit_log_entries_pkey primary key (id)
);
alter table auth.audit_log_entries
    add column if not exists instance_id uuid,
    add column if not exists payload json,
    add column if not exists created_at timestamptz,
    add column if not exists ip_address varchar(64) default '' not null;
create index if not exists audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);
comment on table auth.audit_log_entries is 'Auth: Audit trail for user actions.';
alter table auth.audit_log_entries enable row level security;
