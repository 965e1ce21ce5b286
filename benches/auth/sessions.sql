-- A fresh session for every user, so that each run begins alike.
truncate auth.sessions, auth.refresh_tokens, auth.mfa_amr_claims, auth.audit_log_entries;
insert into auth.sessions (id, user_id, created_at, updated_at, aal)
select md5('session' || id)::uuid, id, now(), now(), 'aal1' from auth.users;
insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
select gen_random_uuid(), id, now(), now(), 'password' from auth.sessions;
insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
select '00000000-0000-0000-0000-000000000000', substr(md5(id::text), 1, 12), user_id, false, now(), now(), id
from auth.sessions;
vacuum analyze auth.sessions, auth.refresh_tokens, auth.mfa_amr_claims, auth.users;
select user_id, id, substr(md5(id::text), 1, 12) from auth.sessions order by id;
