-- Second factors.

do $$
begin
    if to_regtype('auth.aal_level') is null then
        create type auth.aal_level as enum ('aal1', 'aal2', 'aal3');
    end if;
end
$$;
alter type auth.aal_level add value if not exists 'aal1';
alter type auth.aal_level add value if not exists 'aal2';
alter type auth.aal_level add value if not exists 'aal3';

do $$
begin
    if to_regtype('auth.factor_status') is null then
        create type auth.factor_status as enum ('unverified', 'verified');
    end if;
end
$$;
alter type auth.factor_status add value if not exists 'unverified';
alter type auth.factor_status add value if not exists 'verified';

do $$
begin
    if to_regtype('auth.factor_type') is null then
        create type auth.factor_type as enum ('totp', 'webauthn', 'phone');
    end if;
end
$$;
alter type auth.factor_type add value if not exists 'totp';
alter type auth.factor_type add value if not exists 'webauthn';
alter type auth.factor_type add value if not exists 'phone';

create table if not exists auth.mfa_factors (
    id uuid not null,
    user_id uuid not null,
    friendly_name text,
    factor_type factor_type not null,
    status factor_status not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    secret text,
    phone text,
    last_challenged_at timestamptz,
    web_authn_credential jsonb,
    web_authn_aaguid uuid,
    last_webauthn_challenge_data jsonb,
    constraint mfa_factors_pkey primary key (id),
    constraint mfa_factors_last_challenged_at_key unique (last_challenged_at)
);
alter table auth.mfa_factors
    add column if not exists user_id uuid,
    add column if not exists friendly_name text,
    add column if not exists factor_type factor_type,
    add column if not exists status factor_status,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists secret text,
    add column if not exists phone text,
    add column if not exists last_challenged_at timestamptz,
    add column if not exists web_authn_credential jsonb,
    add column if not exists web_authn_aaguid uuid,
    add column if not exists last_webauthn_challenge_data jsonb;
select pg_temp.ensure_constraint('auth.mfa_factors', 'mfa_factors_last_challenged_at_key', $def$unique (last_challenged_at)$def$);
select pg_temp.ensure_constraint('auth.mfa_factors', 'mfa_factors_user_id_fkey', $def$foreign key (user_id) references users(id) on delete cascade$def$);
create index if not exists factor_id_created_at_idx on auth.mfa_factors (user_id, created_at);
create unique index if not exists mfa_factors_user_friendly_name_unique on auth.mfa_factors (friendly_name, user_id) where (TRIM(BOTH FROM friendly_name) <> '');
create index if not exists mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create unique index if not exists unique_phone_factor_per_user on auth.mfa_factors (user_id, phone);
comment on table auth.mfa_factors is 'auth: stores metadata about factors';
alter table auth.mfa_factors enable row level security;

create table if not exists auth.mfa_challenges (
    id uuid not null,
    factor_id uuid not null,
    created_at timestamptz not null,
    verified_at timestamptz,
    ip_address inet not null,
    otp_code text,
    web_authn_session_data jsonb,
    constraint mfa_challenges_pkey primary key (id)
);
alter table auth.mfa_challenges
    add column if not exists factor_id uuid,
    add column if not exists created_at timestamptz,
    add column if not exists verified_at timestamptz,
    add column if not exists ip_address inet,
    add column if not exists otp_code text,
    add column if not exists web_authn_session_data jsonb;
select pg_temp.ensure_constraint('auth.mfa_challenges', 'mfa_challenges_auth_factor_id_fkey', $def$foreign key (factor_id) references mfa_factors(id) on delete cascade$def$);
create index if not exists mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);
comment on table auth.mfa_challenges is 'auth: stores metadata about challenge requests made';
alter table auth.mfa_challenges enable row level security;
