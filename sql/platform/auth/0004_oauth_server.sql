-- The OAuth 2.1 server: clients, what they asked for, and what was granted.

do $$
begin
    if to_regtype('auth.code_challenge_method') is null then
        create type auth.code_challenge_method as enum ('s256', 'plain');
    end if;
end
$$;
alter type auth.code_challenge_method add value if not exists 's256';
alter type auth.code_challenge_method add value if not exists 'plain';

do $$
begin
    if to_regtype('auth.oauth_authorization_status') is null then
        create type auth.oauth_authorization_status as enum ('pending', 'approved', 'denied', 'expired');
    end if;
end
$$;
alter type auth.oauth_authorization_status add value if not exists 'pending';
alter type auth.oauth_authorization_status add value if not exists 'approved';
alter type auth.oauth_authorization_status add value if not exists 'denied';
alter type auth.oauth_authorization_status add value if not exists 'expired';

do $$
begin
    if to_regtype('auth.oauth_client_type') is null then
        create type auth.oauth_client_type as enum ('public', 'confidential');
    end if;
end
$$;
alter type auth.oauth_client_type add value if not exists 'public';
alter type auth.oauth_client_type add value if not exists 'confidential';

do $$
begin
    if to_regtype('auth.oauth_registration_type') is null then
        create type auth.oauth_registration_type as enum ('dynamic', 'manual');
    end if;
end
$$;
alter type auth.oauth_registration_type add value if not exists 'dynamic';
alter type auth.oauth_registration_type add value if not exists 'manual';

do $$
begin
    if to_regtype('auth.oauth_response_type') is null then
        create type auth.oauth_response_type as enum ('code');
    end if;
end
$$;
alter type auth.oauth_response_type add value if not exists 'code';

create table if not exists auth.oauth_clients (
    id uuid not null,
    client_secret_hash text,
    registration_type oauth_registration_type not null,
    redirect_uris text not null,
    grant_types text not null,
    client_name text,
    client_uri text,
    logo_uri text,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    deleted_at timestamptz,
    client_type oauth_client_type default 'confidential'::oauth_client_type not null,
    token_endpoint_auth_method text not null,
    constraint oauth_clients_pkey primary key (id)
);
alter table auth.oauth_clients
    add column if not exists client_secret_hash text,
    add column if not exists registration_type oauth_registration_type,
    add column if not exists redirect_uris text,
    add column if not exists grant_types text,
    add column if not exists client_name text,
    add column if not exists client_uri text,
    add column if not exists logo_uri text,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists updated_at timestamptz default now() not null,
    add column if not exists deleted_at timestamptz,
    add column if not exists client_type oauth_client_type default 'confidential'::oauth_client_type not null,
    add column if not exists token_endpoint_auth_method text;
select pg_temp.ensure_constraint('auth.oauth_clients', 'oauth_clients_client_name_length', $def$check ((char_length(client_name) <= 1024))$def$);
select pg_temp.ensure_constraint('auth.oauth_clients', 'oauth_clients_client_uri_length', $def$check ((char_length(client_uri) <= 2048))$def$);
select pg_temp.ensure_constraint('auth.oauth_clients', 'oauth_clients_logo_uri_length', $def$check ((char_length(logo_uri) <= 2048))$def$);
select pg_temp.ensure_constraint('auth.oauth_clients', 'oauth_clients_token_endpoint_auth_method_check', $def$check ((token_endpoint_auth_method = any (array['client_secret_basic', 'client_secret_post', 'none'])))$def$);
create index if not exists oauth_clients_deleted_at_idx on auth.oauth_clients (deleted_at);

create table if not exists auth.oauth_authorizations (
    id uuid not null,
    authorization_id text not null,
    client_id uuid not null,
    user_id uuid,
    redirect_uri text not null,
    scope text not null,
    state text,
    resource text,
    code_challenge text,
    code_challenge_method code_challenge_method,
    response_type oauth_response_type default 'code'::oauth_response_type not null,
    status oauth_authorization_status default 'pending'::oauth_authorization_status not null,
    authorization_code text,
    created_at timestamptz default now() not null,
    expires_at timestamptz default (now() + '00:03:00'::interval) not null,
    approved_at timestamptz,
    nonce text,
    constraint oauth_authorizations_pkey primary key (id),
    constraint oauth_authorizations_authorization_code_key unique (authorization_code),
    constraint oauth_authorizations_authorization_id_key unique (authorization_id)
);
alter table auth.oauth_authorizations
    add column if not exists authorization_id text,
    add column if not exists client_id uuid,
    add column if not exists user_id uuid,
    add column if not exists redirect_uri text,
    add column if not exists scope text,
    add column if not exists state text,
    add column if not exists resource text,
    add column if not exists code_challenge text,
    add column if not exists code_challenge_method code_challenge_method,
    add column if not exists response_type oauth_response_type default 'code'::oauth_response_type not null,
    add column if not exists status oauth_authorization_status default 'pending'::oauth_authorization_status not null,
    add column if not exists authorization_code text,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists expires_at timestamptz default (now() + '00:03:00'::interval) not null,
    add column if not exists approved_at timestamptz,
    add column if not exists nonce text;
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_authorization_code_key', $def$unique (authorization_code)$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_authorization_id_key', $def$unique (authorization_id)$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_authorization_code_length', $def$check ((char_length(authorization_code) <= 255))$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_code_challenge_length', $def$check ((char_length(code_challenge) <= 128))$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_expires_at_future', $def$check ((expires_at > created_at))$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_nonce_length', $def$check ((char_length(nonce) <= 255))$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_redirect_uri_length', $def$check ((char_length(redirect_uri) <= 2048))$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_resource_length', $def$check ((char_length(resource) <= 2048))$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_scope_length', $def$check ((char_length(scope) <= 4096))$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_state_length', $def$check ((char_length(state) <= 4096))$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_client_id_fkey', $def$foreign key (client_id) references oauth_clients(id) on delete cascade$def$);
select pg_temp.ensure_constraint('auth.oauth_authorizations', 'oauth_authorizations_user_id_fkey', $def$foreign key (user_id) references users(id) on delete cascade$def$);
create index if not exists oauth_auth_pending_exp_idx on auth.oauth_authorizations (expires_at) where (status = 'pending'::oauth_authorization_status);

create table if not exists auth.oauth_consents (
    id uuid not null,
    user_id uuid not null,
    client_id uuid not null,
    scopes text not null,
    granted_at timestamptz default now() not null,
    revoked_at timestamptz,
    constraint oauth_consents_pkey primary key (id),
    constraint oauth_consents_user_client_unique unique (user_id, client_id)
);
alter table auth.oauth_consents
    add column if not exists user_id uuid,
    add column if not exists client_id uuid,
    add column if not exists scopes text,
    add column if not exists granted_at timestamptz default now() not null,
    add column if not exists revoked_at timestamptz;
select pg_temp.ensure_constraint('auth.oauth_consents', 'oauth_consents_user_client_unique', $def$unique (user_id, client_id)$def$);
select pg_temp.ensure_constraint('auth.oauth_consents', 'oauth_consents_revoked_after_granted', $def$check (((revoked_at is null) or (revoked_at >= granted_at)))$def$);
select pg_temp.ensure_constraint('auth.oauth_consents', 'oauth_consents_scopes_length', $def$check ((char_length(scopes) <= 2048))$def$);
select pg_temp.ensure_constraint('auth.oauth_consents', 'oauth_consents_scopes_not_empty', $def$check ((char_length(TRIM(BOTH FROM scopes)) > 0))$def$);
select pg_temp.ensure_constraint('auth.oauth_consents', 'oauth_consents_client_id_fkey', $def$foreign key (client_id) references oauth_clients(id) on delete cascade$def$);
select pg_temp.ensure_constraint('auth.oauth_consents', 'oauth_consents_user_id_fkey', $def$foreign key (user_id) references users(id) on delete cascade$def$);
create index if not exists oauth_consents_active_client_idx on auth.oauth_consents (client_id) where (revoked_at IS NULL);
create index if not exists oauth_consents_active_user_client_idx on auth.oauth_consents (user_id, client_id) where (revoked_at IS NULL);
create index if not exists oauth_consents_user_order_idx on auth.oauth_consents (user_id, granted_at desc);
