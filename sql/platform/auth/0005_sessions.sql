-- Sessions and their refresh tokens; one-time tokens.

do $$
begin
    if to_regtype('auth.one_time_token_type') is null then
        create type auth.one_time_token_type as enum ('confirmation_token', 'reauthentication_token', 'recovery_token', 'email_change_token_new', 'email_change_token_current', 'phone_change_token');
    end if;
end
$$;
alter type auth.one_time_token_type add value if not exists 'confirmation_token';
alter type auth.one_time_token_type add value if not exists 'reauthentication_token';
alter type auth.one_time_token_type add value if not exists 'recovery_token';
alter type auth.one_time_token_type add value if not exists 'email_change_token_new';
alter type auth.one_time_token_type add value if not exists 'email_change_token_current';
alter type auth.one_time_token_type add value if not exists 'phone_change_token';

create table if not exists auth.sessions (
    id uuid not null,
    user_id uuid not null,
    created_at timestamptz,
    updated_at timestamptz,
    factor_id uuid,
    aal aal_level,
    not_after timestamptz,
    refreshed_at timestamp,
    user_agent text,
    ip inet,
    tag text,
    oauth_client_id uuid,
    refresh_token_hmac_key text,
    refresh_token_counter bigint,
    scopes text,
    constraint sessions_pkey primary key (id)
);
alter table auth.sessions
    add column if not exists user_id uuid,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists factor_id uuid,
    add column if not exists aal aal_level,
    add column if not exists not_after timestamptz,
    add column if not exists refreshed_at timestamp,
    add column if not exists user_agent text,
    add column if not exists ip inet,
    add column if not exists tag text,
    add column if not exists oauth_client_id uuid,
    add column if not exists refresh_token_hmac_key text,
    add column if not exists refresh_token_counter bigint,
    add column if not exists scopes text;
select pg_temp.ensure_constraint('auth.sessions', 'sessions_scopes_length', $def$check ((char_length(scopes) <= 4096))$def$);
select pg_temp.ensure_constraint('auth.sessions', 'sessions_oauth_client_id_fkey', $def$foreign key (oauth_client_id) references oauth_clients(id) on delete cascade$def$);
select pg_temp.ensure_constraint('auth.sessions', 'sessions_user_id_fkey', $def$foreign key (user_id) references users(id) on delete cascade$def$);
create index if not exists sessions_not_after_idx on auth.sessions (not_after desc);
create index if not exists sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);
create index if not exists sessions_user_id_idx on auth.sessions (user_id);
create index if not exists user_id_created_at_idx on auth.sessions (user_id, created_at);
comment on table auth.sessions is 'Auth: Stores session data associated to a user.';
alter table auth.sessions enable row level security;

create table if not exists auth.mfa_amr_claims (
    session_id uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    authentication_method text not null,
    id uuid not null,
    constraint amr_id_pk primary key (id),
    constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method)
);
alter table auth.mfa_amr_claims
    add column if not exists session_id uuid,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists authentication_method text;
select pg_temp.ensure_constraint('auth.mfa_amr_claims', 'mfa_amr_claims_session_id_authentication_method_pkey', $def$unique (session_id, authentication_method)$def$);
select pg_temp.ensure_constraint('auth.mfa_amr_claims', 'mfa_amr_claims_session_id_fkey', $def$foreign key (session_id) references sessions(id) on delete cascade$def$);
comment on table auth.mfa_amr_claims is 'auth: stores authenticator method reference claims for multi factor authentication';
alter table auth.mfa_amr_claims enable row level security;

create table if not exists auth.refresh_tokens (
    instance_id uuid,
    id bigserial not null,
    token varchar(255),
    user_id varchar(255),
    revoked boolean,
    created_at timestamptz,
    updated_at timestamptz,
    parent varchar(255),
    session_id uuid,
    constraint refresh_tokens_pkey primary key (id),
    constraint refresh_tokens_token_unique unique (token)
);
alter table auth.refresh_tokens
    add column if not exists instance_id uuid,
    add column if not exists token varchar(255),
    add column if not exists user_id varchar(255),
    add column if not exists revoked boolean,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists parent varchar(255),
    add column if not exists session_id uuid;
select pg_temp.ensure_constraint('auth.refresh_tokens', 'refresh_tokens_token_unique', $def$unique (token)$def$);
select pg_temp.ensure_constraint('auth.refresh_tokens', 'refresh_tokens_session_id_fkey', $def$foreign key (session_id) references sessions(id) on delete cascade$def$);
create index if not exists refresh_tokens_instance_id_idx on auth.refresh_tokens (instance_id);
create index if not exists refresh_tokens_instance_id_user_id_idx on auth.refresh_tokens (instance_id, user_id);
create index if not exists refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index if not exists refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index if not exists refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);
comment on table auth.refresh_tokens is 'Auth: Store of tokens used to refresh JWT tokens once they expire.';
alter table auth.refresh_tokens enable row level security;

create table if not exists auth.one_time_tokens (
    id uuid not null,
    user_id uuid not null,
    token_type one_time_token_type not null,
    token_hash text not null,
    relates_to text not null,
    created_at timestamp default now() not null,
    updated_at timestamp default now() not null,
    constraint one_time_tokens_pkey primary key (id)
);
alter table auth.one_time_tokens
    add column if not exists user_id uuid,
    add column if not exists token_type one_time_token_type,
    add column if not exists token_hash text,
    add column if not exists relates_to text,
    add column if not exists created_at timestamp default now() not null,
    add column if not exists updated_at timestamp default now() not null;
select pg_temp.ensure_constraint('auth.one_time_tokens', 'one_time_tokens_token_hash_check', $def$check ((char_length(token_hash) > 0))$def$);
select pg_temp.ensure_constraint('auth.one_time_tokens', 'one_time_tokens_user_id_fkey', $def$foreign key (user_id) references users(id) on delete cascade$def$);
create index if not exists one_time_tokens_relates_to_hash_idx on auth.one_time_tokens using hash (relates_to);
create index if not exists one_time_tokens_token_hash_hash_idx on auth.one_time_tokens using hash (token_hash);
create unique index if not exists one_time_tokens_user_id_token_type_key on auth.one_time_tokens (user_id, token_type);
alter table auth.one_time_tokens enable row level security;
