-- Passkeys.

create table if not exists auth.webauthn_credentials (
    id uuid default gen_random_uuid() not null,
    user_id uuid not null,
    credential_id bytea not null,
    public_key bytea not null,
    attestation_type text default '' not null,
    aaguid uuid,
    sign_count bigint default 0 not null,
    transports jsonb default '[]'::jsonb not null,
    backup_eligible boolean default false not null,
    backed_up boolean default false not null,
    friendly_name text default '' not null,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    last_used_at timestamptz,
    constraint webauthn_credentials_pkey primary key (id)
);
alter table auth.webauthn_credentials
    add column if not exists user_id uuid,
    add column if not exists credential_id bytea,
    add column if not exists public_key bytea,
    add column if not exists attestation_type text default '' not null,
    add column if not exists aaguid uuid,
    add column if not exists sign_count bigint default 0 not null,
    add column if not exists transports jsonb default '[]'::jsonb not null,
    add column if not exists backup_eligible boolean default false not null,
    add column if not exists backed_up boolean default false not null,
    add column if not exists friendly_name text default '' not null,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists updated_at timestamptz default now() not null,
    add column if not exists last_used_at timestamptz;
select pg_temp.ensure_constraint('auth.webauthn_credentials', 'webauthn_credentials_user_id_fkey', $def$foreign key (user_id) references users(id) on delete cascade$def$);
create unique index if not exists webauthn_credentials_credential_id_key on auth.webauthn_credentials (credential_id);
create index if not exists webauthn_credentials_user_id_idx on auth.webauthn_credentials (user_id);

create table if not exists auth.webauthn_challenges (
    id uuid default gen_random_uuid() not null,
    user_id uuid,
    challenge_type text not null,
    session_data jsonb not null,
    created_at timestamptz default now() not null,
    expires_at timestamptz not null,
    constraint webauthn_challenges_pkey primary key (id)
);
alter table auth.webauthn_challenges
    add column if not exists user_id uuid,
    add column if not exists challenge_type text,
    add column if not exists session_data jsonb,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists expires_at timestamptz;
select pg_temp.ensure_constraint('auth.webauthn_challenges', 'webauthn_challenges_challenge_type_check', $def$check ((challenge_type = any (array['signup', 'registration', 'authentication'])))$def$);
select pg_temp.ensure_constraint('auth.webauthn_challenges', 'webauthn_challenges_user_id_fkey', $def$foreign key (user_id) references users(id) on delete cascade$def$);
create index if not exists webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);
create index if not exists webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id);
