-- What a dump of GoTrue's schema has beside the tables: the words on columns and functions, and the table of versions as its migrator
-- leaves it.
comment on function auth.uid() is 'Deprecated. Use auth.jwt() -> ''sub'' instead.';
comment on function auth.role() is 'Deprecated. Use auth.jwt() -> ''role'' instead.';
comment on function auth.email() is 'Deprecated. Use auth.jwt() -> ''email'' instead.';
comment on column auth.identities.email is 'Auth: Email is a generated column that references the optional email property in the identity_data';
comment on column auth.mfa_factors.last_webauthn_challenge_data is 'Stores the latest WebAuthn challenge data including attestation/assertion for customer verification';
comment on column auth.sessions.not_after is 'Auth: Not after is a nullable column that contains a timestamp after which the session should be regarded as expired.';
comment on column auth.sessions.refresh_token_counter is 'Holds the ID (counter) of the last issued refresh token.';
comment on column auth.sessions.refresh_token_hmac_key is 'Holds a HMAC-SHA256 key used to sign refresh tokens for this session.';
comment on column auth.sso_providers.resource_id is 'Auth: Uniquely identifies a SSO provider according to a user-chosen resource ID (case insensitive), useful in infrastructure as code.';
comment on column auth.users.is_sso_user is 'Auth: Set this column to true when the account comes from SSO. These accounts can have duplicate emails.';
comment on index auth.identities_email_idx is 'Auth: Ensures indexed queries on the email column';
comment on index auth.users_email_partial_key is 'Auth: A partial unique index that applies only when is_sso_user is false';
comment on table auth.schema_migrations is 'Auth: Manages updates to the auth system.';
alter table auth.schema_migrations enable row level security;
create unique index if not exists schema_migrations_version_idx on auth.schema_migrations (version);
