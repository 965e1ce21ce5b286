-- Sign-in through others: flows under way, SAML, and providers that a project adds.

create table if not exists auth.flow_state (
    id uuid not null,
    user_id uuid,
    auth_code text,
    code_challenge_method code_challenge_method,
    code_challenge text,
    provider_type text not null,
    provider_access_token text,
    provider_refresh_token text,
    created_at timestamptz,
    updated_at timestamptz,
    authentication_method text not null,
    auth_code_issued_at timestamptz,
    invite_token text,
    referrer text,
    oauth_client_state_id uuid,
    linking_target_id uuid,
    email_optional boolean default false not null,
    constraint flow_state_pkey primary key (id)
);
alter table auth.flow_state
    add column if not exists user_id uuid,
    add column if not exists auth_code text,
    add column if not exists code_challenge_method code_challenge_method,
    add column if not exists code_challenge text,
    add column if not exists provider_type text,
    add column if not exists provider_access_token text,
    add column if not exists provider_refresh_token text,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists authentication_method text,
    add column if not exists auth_code_issued_at timestamptz,
    add column if not exists invite_token text,
    add column if not exists referrer text,
    add column if not exists oauth_client_state_id uuid,
    add column if not exists linking_target_id uuid,
    add column if not exists email_optional boolean default false not null;
create index if not exists flow_state_created_at_idx on auth.flow_state (created_at desc);
create index if not exists idx_auth_code on auth.flow_state (auth_code);
create index if not exists idx_user_id_auth_method on auth.flow_state (user_id, authentication_method);
comment on table auth.flow_state is 'Stores metadata for all OAuth/SSO login flows';
alter table auth.flow_state enable row level security;

create table if not exists auth.oauth_client_states (
    id uuid not null,
    provider_type text not null,
    code_verifier text,
    created_at timestamptz not null,
    constraint oauth_client_states_pkey primary key (id)
);
alter table auth.oauth_client_states
    add column if not exists provider_type text,
    add column if not exists code_verifier text,
    add column if not exists created_at timestamptz;
create index if not exists idx_oauth_client_states_created_at on auth.oauth_client_states (created_at);
comment on table auth.oauth_client_states is 'Stores OAuth states for third-party provider authentication flows where Supabase acts as the OAuth client.';

create table if not exists auth.sso_providers (
    id uuid not null,
    resource_id text,
    created_at timestamptz,
    updated_at timestamptz,
    disabled boolean,
    constraint sso_providers_pkey primary key (id)
);
alter table auth.sso_providers
    add column if not exists resource_id text,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists disabled boolean;
select pg_temp.ensure_constraint('auth.sso_providers', 'resource_id not empty', $def$check (((resource_id = null) or (char_length(resource_id) > 0)))$def$);
create unique index if not exists sso_providers_resource_id_idx on auth.sso_providers (lower(resource_id));
create index if not exists sso_providers_resource_id_pattern_idx on auth.sso_providers (resource_id text_pattern_ops);
comment on table auth.sso_providers is 'Auth: Manages SSO identity provider information; see saml_providers for SAML.';
alter table auth.sso_providers enable row level security;

create table if not exists auth.sso_domains (
    id uuid not null,
    sso_provider_id uuid not null,
    domain text not null,
    created_at timestamptz,
    updated_at timestamptz,
    constraint sso_domains_pkey primary key (id)
);
alter table auth.sso_domains
    add column if not exists sso_provider_id uuid,
    add column if not exists domain text,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz;
select pg_temp.ensure_constraint('auth.sso_domains', 'domain not empty', $def$check ((char_length(domain) > 0))$def$);
select pg_temp.ensure_constraint('auth.sso_domains', 'sso_domains_sso_provider_id_fkey', $def$foreign key (sso_provider_id) references sso_providers(id) on delete cascade$def$);
create unique index if not exists sso_domains_domain_idx on auth.sso_domains (lower(domain));
create index if not exists sso_domains_sso_provider_id_idx on auth.sso_domains (sso_provider_id);
comment on table auth.sso_domains is 'Auth: Manages SSO email address domain mapping to an SSO Identity Provider.';
alter table auth.sso_domains enable row level security;

create table if not exists auth.saml_providers (
    id uuid not null,
    sso_provider_id uuid not null,
    entity_id text not null,
    metadata_xml text not null,
    metadata_url text,
    attribute_mapping jsonb,
    created_at timestamptz,
    updated_at timestamptz,
    name_id_format text,
    constraint saml_providers_pkey primary key (id),
    constraint saml_providers_entity_id_key unique (entity_id)
);
alter table auth.saml_providers
    add column if not exists sso_provider_id uuid,
    add column if not exists entity_id text,
    add column if not exists metadata_xml text,
    add column if not exists metadata_url text,
    add column if not exists attribute_mapping jsonb,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists name_id_format text;
select pg_temp.ensure_constraint('auth.saml_providers', 'saml_providers_entity_id_key', $def$unique (entity_id)$def$);
select pg_temp.ensure_constraint('auth.saml_providers', 'entity_id not empty', $def$check ((char_length(entity_id) > 0))$def$);
select pg_temp.ensure_constraint('auth.saml_providers', 'metadata_url not empty', $def$check (((metadata_url = null) or (char_length(metadata_url) > 0)))$def$);
select pg_temp.ensure_constraint('auth.saml_providers', 'metadata_xml not empty', $def$check ((char_length(metadata_xml) > 0))$def$);
select pg_temp.ensure_constraint('auth.saml_providers', 'saml_providers_sso_provider_id_fkey', $def$foreign key (sso_provider_id) references sso_providers(id) on delete cascade$def$);
create index if not exists saml_providers_sso_provider_id_idx on auth.saml_providers (sso_provider_id);
comment on table auth.saml_providers is 'Auth: Manages SAML Identity Provider connections.';
alter table auth.saml_providers enable row level security;

create table if not exists auth.saml_relay_states (
    id uuid not null,
    sso_provider_id uuid not null,
    request_id text not null,
    for_email text,
    redirect_to text,
    created_at timestamptz,
    updated_at timestamptz,
    flow_state_id uuid,
    constraint saml_relay_states_pkey primary key (id)
);
alter table auth.saml_relay_states
    add column if not exists sso_provider_id uuid,
    add column if not exists request_id text,
    add column if not exists for_email text,
    add column if not exists redirect_to text,
    add column if not exists created_at timestamptz,
    add column if not exists updated_at timestamptz,
    add column if not exists flow_state_id uuid;
select pg_temp.ensure_constraint('auth.saml_relay_states', 'request_id not empty', $def$check ((char_length(request_id) > 0))$def$);
select pg_temp.ensure_constraint('auth.saml_relay_states', 'saml_relay_states_flow_state_id_fkey', $def$foreign key (flow_state_id) references flow_state(id) on delete cascade$def$);
select pg_temp.ensure_constraint('auth.saml_relay_states', 'saml_relay_states_sso_provider_id_fkey', $def$foreign key (sso_provider_id) references sso_providers(id) on delete cascade$def$);
create index if not exists saml_relay_states_created_at_idx on auth.saml_relay_states (created_at desc);
create index if not exists saml_relay_states_for_email_idx on auth.saml_relay_states (for_email);
create index if not exists saml_relay_states_sso_provider_id_idx on auth.saml_relay_states (sso_provider_id);
comment on table auth.saml_relay_states is 'Auth: Contains SAML Relay State information for each Service Provider initiated login.';
alter table auth.saml_relay_states enable row level security;

create table if not exists auth.custom_oauth_providers (
    id uuid default gen_random_uuid() not null,
    provider_type text not null,
    identifier text not null,
    name text not null,
    client_id text not null,
    client_secret text not null,
    acceptable_client_ids text[] default '{}'::text[] not null,
    scopes text[] default '{}'::text[] not null,
    pkce_enabled boolean default true not null,
    attribute_mapping jsonb default '{}'::jsonb not null,
    authorization_params jsonb default '{}'::jsonb not null,
    enabled boolean default true not null,
    email_optional boolean default false not null,
    issuer text,
    discovery_url text,
    skip_nonce_check boolean default false not null,
    cached_discovery jsonb,
    discovery_cached_at timestamptz,
    authorization_url text,
    token_url text,
    userinfo_url text,
    jwks_uri text,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    custom_claims_allowlist text[] default '{}'::text[] not null,
    constraint custom_oauth_providers_pkey primary key (id),
    constraint custom_oauth_providers_identifier_key unique (identifier)
);
alter table auth.custom_oauth_providers
    add column if not exists provider_type text,
    add column if not exists identifier text,
    add column if not exists name text,
    add column if not exists client_id text,
    add column if not exists client_secret text,
    add column if not exists acceptable_client_ids text[] default '{}'::text[] not null,
    add column if not exists scopes text[] default '{}'::text[] not null,
    add column if not exists pkce_enabled boolean default true not null,
    add column if not exists attribute_mapping jsonb default '{}'::jsonb not null,
    add column if not exists authorization_params jsonb default '{}'::jsonb not null,
    add column if not exists enabled boolean default true not null,
    add column if not exists email_optional boolean default false not null,
    add column if not exists issuer text,
    add column if not exists discovery_url text,
    add column if not exists skip_nonce_check boolean default false not null,
    add column if not exists cached_discovery jsonb,
    add column if not exists discovery_cached_at timestamptz,
    add column if not exists authorization_url text,
    add column if not exists token_url text,
    add column if not exists userinfo_url text,
    add column if not exists jwks_uri text,
    add column if not exists created_at timestamptz default now() not null,
    add column if not exists updated_at timestamptz default now() not null,
    add column if not exists custom_claims_allowlist text[] default '{}'::text[] not null;
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_identifier_key', $def$unique (identifier)$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_authorization_url_https', $def$check (((authorization_url is null) or (authorization_url ~~ 'https://%')))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_authorization_url_length', $def$check (((authorization_url is null) or (char_length(authorization_url) <= 2048)))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_client_id_length', $def$check (((char_length(client_id) >= 1) and (char_length(client_id) <= 512)))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_discovery_url_length', $def$check (((discovery_url is null) or (char_length(discovery_url) <= 2048)))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_identifier_format', $def$check ((identifier ~ '^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_issuer_length', $def$check (((issuer is null) or ((char_length(issuer) >= 1) and (char_length(issuer) <= 2048))))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_jwks_uri_https', $def$check (((jwks_uri is null) or (jwks_uri ~~ 'https://%')))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_jwks_uri_length', $def$check (((jwks_uri is null) or (char_length(jwks_uri) <= 2048)))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_name_length', $def$check (((char_length(name) >= 1) and (char_length(name) <= 100)))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_oauth2_requires_endpoints', $def$check (((provider_type <> 'oauth2') or ((authorization_url is not null) and (token_url is not null) and (userinfo_url is not null))))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_oidc_discovery_url_https', $def$check (((provider_type <> 'oidc') or (discovery_url is null) or (discovery_url ~~ 'https://%')))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_oidc_issuer_https', $def$check (((provider_type <> 'oidc') or (issuer is null) or (issuer ~~ 'https://%')))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_oidc_requires_issuer', $def$check (((provider_type <> 'oidc') or (issuer is not null)))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_provider_type_check', $def$check ((provider_type = any (array['oauth2', 'oidc'])))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_token_url_https', $def$check (((token_url is null) or (token_url ~~ 'https://%')))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_token_url_length', $def$check (((token_url is null) or (char_length(token_url) <= 2048)))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_userinfo_url_https', $def$check (((userinfo_url is null) or (userinfo_url ~~ 'https://%')))$def$);
select pg_temp.ensure_constraint('auth.custom_oauth_providers', 'custom_oauth_providers_userinfo_url_length', $def$check (((userinfo_url is null) or (char_length(userinfo_url) <= 2048)))$def$);
create index if not exists custom_oauth_providers_created_at_idx on auth.custom_oauth_providers (created_at);
create index if not exists custom_oauth_providers_enabled_idx on auth.custom_oauth_providers (enabled);
create index if not exists custom_oauth_providers_identifier_idx on auth.custom_oauth_providers (identifier);
create index if not exists custom_oauth_providers_provider_type_idx on auth.custom_oauth_providers (provider_type);
