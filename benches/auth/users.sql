-- Two thousand users with a password each, an identity and a session.
-- The hash is bcrypt's, cost 10, of "correct horse battery".
insert into auth.users (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
    created_at, updated_at, confirmation_token, recovery_token, email_change_token_new, email_change)
select '00000000-0000-0000-0000-000000000000', md5('user' || i)::uuid, 'authenticated', 'authenticated',
    'user' || i || '@example.test', :'hash', now(),
    '{"provider": "email", "providers": ["email"]}', '{"full_name": "Asha", "city": "Chennai", "email_verified": true}',
    now(), now(), '', '', '', ''
from generate_series(1, 2000) as i;
insert into auth.identities (
    provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select id::text, id, jsonb_build_object('sub', id, 'email', email, 'email_verified', true), 'email', now(), now(), now()
from auth.users;
analyze auth.users, auth.identities;
