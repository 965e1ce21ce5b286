// The settings that scenarios run under; both servers get the same. `{receiver}` is each one's own receiver.

import { serviceKey } from '../identity-provider.mjs';
import { certificateFile } from './certificate.mjs';
import { SECRET } from './side.mjs';

const base = {
  API_EXTERNAL_URL: 'http://auth.test',
  GOTRUE_SITE_URL: 'https://site.test/home',
  GOTRUE_URI_ALLOW_LIST: 'https://app.test/**,https://*.preview.test/*,com.example.app://callback',
  GOTRUE_JWT_SECRET: SECRET,
  GOTRUE_JWT_AUD: 'authenticated',
  GOTRUE_JWT_EXP: '3600',
  GOTRUE_JWT_DEFAULT_GROUP_NAME: 'authenticated',
  GOTRUE_JWT_ADMIN_ROLES: 'service_role,supabase_admin',
  GOTRUE_SMTP_ADMIN_EMAIL: 'sender@auth.test',
  GOTRUE_SMTP_SENDER_NAME: 'Sender',
  GOTRUE_SMTP_MAX_FREQUENCY: '1ms',
  GOTRUE_SMS_MAX_FREQUENCY: '1ms',
  GOTRUE_SMS_OTP_EXP: '60',
  GOTRUE_RATE_LIMIT_EMAIL_SENT: '100000',
  GOTRUE_RATE_LIMIT_SMS_SENT: '100000',
  GOTRUE_EXTERNAL_EMAIL_ENABLED: 'true',
  // Ours alone ends guesses; the scenarios guess a lot.
  NILAM_AUTH_WRONG_CODES: '0',
};
for (const kind of ['INVITE', 'CONFIRMATION', 'RECOVERY', 'EMAIL_CHANGE', 'MAGIC_LINK', 'REAUTHENTICATION']) {
  base[`GOTRUE_MAILER_SUBJECTS_${kind}`] = `${kind} for {{ .Email }}`;
  base[`GOTRUE_MAILER_TEMPLATES_${kind}`] = `{receiver}/templates/${kind.toLowerCase()}`;
}

const HOOK_SECRET = 'v1,whsec_aGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8=';
const hook = (name, uri) => ({
  [`GOTRUE_HOOK_${name}_ENABLED`]: 'true',
  [`GOTRUE_HOOK_${name}_URI`]: uri,
  ...(uri.startsWith('pg-functions') ? {} : { [`GOTRUE_HOOK_${name}_SECRETS`]: HOOK_SECRET }),
});
const httpHook = (name) => hook(name, `{receiver}/hooks/${name.toLowerCase().replaceAll('_', '-')}`);

const phone = {
  GOTRUE_EXTERNAL_PHONE_ENABLED: 'true',
  ...httpHook('SEND_SMS'),
  GOTRUE_SMS_TEST_OTP: '15550000001:123456,15550000002:654321',
};

const autoconfirm = {
  GOTRUE_MAILER_AUTOCONFIRM: 'true',
  GOTRUE_SMS_AUTOCONFIRM: 'true',
  GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
};

const mfa = {
  ...phone,
  ...autoconfirm,
  GOTRUE_MFA_PHONE_ENROLL_ENABLED: 'true',
  GOTRUE_MFA_PHONE_VERIFY_ENABLED: 'true',
  GOTRUE_MFA_PHONE_MAX_FREQUENCY: '1ms',
  GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
  GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
  GOTRUE_PASSKEY_ENABLED: 'true',
  GOTRUE_WEBAUTHN_RP_ID: 'site.test',
  GOTRUE_WEBAUTHN_RP_DISPLAY_NAME: 'Site',
  GOTRUE_WEBAUTHN_RP_ORIGINS: 'https://site.test',
};

const keycloak = {
  GOTRUE_EXTERNAL_KEYCLOAK_ENABLED: 'true',
  GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID: 'a-client',
  GOTRUE_EXTERNAL_KEYCLOAK_SECRET: 'a-secret',
  GOTRUE_EXTERNAL_KEYCLOAK_REDIRECT_URI: 'http://auth.test/callback',
  GOTRUE_EXTERNAL_KEYCLOAK_URL: '{receiver}/realm',
  GOTRUE_EXTERNAL_GITHUB_ENABLED: 'true',
  GOTRUE_EXTERNAL_GITHUB_CLIENT_ID: 'a-client',
  GOTRUE_EXTERNAL_GITHUB_SECRET: 'a-secret',
  GOTRUE_EXTERNAL_GITHUB_REDIRECT_URI: 'http://auth.test/callback',
  GOTRUE_EXTERNAL_GITHUB_URL: '{receiver}/github',
};

/** Text messages by one of the carriers, to which the receiver is the way. */
const carrier = (name, account) => ({
  GOTRUE_EXTERNAL_PHONE_ENABLED: 'true',
  GOTRUE_SMS_TEMPLATE: 'Your code is {{ .Code }}',
  GOTRUE_SMS_PROVIDER: name,
  ...Object.fromEntries(
    Object.entries(account).map(([field, value]) => [`GOTRUE_SMS_${name.toUpperCase()}_${field}`, value]),
  ),
  HTTPS_PROXY: '{receiver}',
  SSL_CERT_FILE: certificateFile,
});

/** An EC key of the project's own, for tokens that others can check. */
const KEYS = JSON.stringify([
  {
    kty: 'EC',
    kid: 'b81269f1-21d8-4f2e-b719-c2240a840d90',
    use: 'sig',
    key_ops: ['sign', 'verify'],
    alg: 'ES256',
    ext: true,
    crv: 'P-256',
    x: 'M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4',
    y: 'P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ',
    d: 'dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU',
  },
  { kty: 'oct', kid: 'old', key_ops: ['verify'], alg: 'HS256', k: Buffer.from(SECRET).toString('base64url') },
]);

const issuer = { GOTRUE_JWT_ISSUER: 'http://auth.test' };
const profile = (more, sql) => ({ settings: { ...base, ...more }, sql });

export const profiles = {
  plain: profile({}),
  autoconfirm: profile({ ...autoconfirm, ...phone }),
  phone: profile({ ...phone }),
  pkce: profile({ ...issuer, GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false' }),
  closed: profile({
    GOTRUE_DISABLE_SIGNUP: 'true',
    ...{ GOTRUE_EXTERNAL_PHONE_ENABLED: 'true', GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true' },
  }),
  'no-email': profile({ GOTRUE_EXTERNAL_EMAIL_ENABLED: 'false' }),
  'no-links': profile({ GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED: 'false' }),
  passwords: profile({
    ...autoconfirm,
    GOTRUE_PASSWORD_MIN_LENGTH: '10',
    GOTRUE_PASSWORD_REQUIRED_CHARACTERS: 'abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789',
    GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION: 'true',
  }),
  'current-password': profile({
    ...autoconfirm,
    GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: 'true',
  }),
  mfa: profile({ ...mfa }),
  'mfa-off': profile({
    ...autoconfirm,
    GOTRUE_MFA_TOTP_ENROLL_ENABLED: 'false',
    GOTRUE_MFA_TOTP_VERIFY_ENABLED: 'false',
  }),
  linking: profile({ ...autoconfirm, ...phone, ...keycloak, GOTRUE_SECURITY_MANUAL_LINKING_ENABLED: 'true' }),
  oauth: profile({
    ...autoconfirm,
    ...issuer,
    GOTRUE_JWT_KEYS: KEYS,
    GOTRUE_JWT_VALID_METHODS: 'HS256,RS256,ES256',
    GOTRUE_OAUTH_SERVER_ENABLED: 'true',
    GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: 'true',
    GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH: '/oauth/consent',
  }),
  keys: profile({ ...autoconfirm, ...issuer, GOTRUE_JWT_KEYS: KEYS }),
  hooks: profile({
    ...phone,
    ...httpHook('SEND_EMAIL'),
    ...httpHook('CUSTOM_ACCESS_TOKEN'),
    ...httpHook('PASSWORD_VERIFICATION_ATTEMPT'),
    ...httpHook('MFA_VERIFICATION_ATTEMPT'),
    ...httpHook('BEFORE_USER_CREATED'),
  }),
  functions: profile(
    {
      ...autoconfirm,
      ...hook('CUSTOM_ACCESS_TOKEN', 'pg-functions://postgres/hooks/claims'),
      ...hook('BEFORE_USER_CREATED', 'pg-functions://postgres/hooks/before'),
      ...hook('PASSWORD_VERIFICATION_ATTEMPT', 'pg-functions://postgres/hooks/attempt'),
    },
    `create function hooks.claims(event jsonb) returns jsonb language sql as
       $$ select jsonb_build_object('claims', (event->'claims') || '{"extra": "yes"}') $$;
     create function hooks.before(event jsonb) returns jsonb language plpgsql as $$ begin
       if event->'user'->>'email' like 'bad%' then
         return '{"error": {"http_code": 403, "message": "not here"}}';
       elsif event->'user'->>'email' like 'raise%' then raise exception 'raised' using hint = 'a hint';
       elsif event->'user'->>'email' like 'slow%' then perform pg_sleep(3);
       elsif event->'user'->>'email' like 'null%' then return null;
       end if;
       return '{}';
     end $$;
     create function hooks.attempt(event jsonb) returns jsonb language plpgsql as $$ begin
       if (event->>'valid')::boolean then return '{"decision": "continue"}'; end if;
       return '{"decision": "reject", "message": "no more", "should_logout_user": true}';
     end $$;
     grant execute on all functions in schema hooks to supabase_auth_admin;`,
  ),
  triggers: profile(
    { ...autoconfirm },
    `create function hooks.refuse() returns trigger language plpgsql as $$ begin
       if new.email like 'raise%' then raise exception 'no such guests' using hint = 'a hint', detail = 'a detail';
       elsif new.email like 'teapot%' then raise sqlstate 'PT418' using message = 'a teapot';
       elsif new.email like 'divide%' then perform 1 / 0;
       elsif new.email like 'check%' then raise check_violation using message = 'checked';
       end if;
       return new;
     end $$;
     create trigger refuse before insert or update on auth.users for each row execute function hooks.refuse();`,
  ),
  limits: profile({
    GOTRUE_RATE_LIMIT_HEADER: 'X-Client',
    GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
    GOTRUE_SMTP_MAX_FREQUENCY: '60s',
    GOTRUE_RATE_LIMIT_ANONYMOUS_USERS: '2',
    GOTRUE_RATE_LIMIT_EMAIL_SENT: '4',
  }),
  sessions: profile({
    ...autoconfirm,
    GOTRUE_SESSIONS_SINGLE_PER_USER: 'true',
    GOTRUE_SESSIONS_INACTIVITY_TIMEOUT: '1h',
    GOTRUE_SESSIONS_TIMEBOX: '24h',
  }),
  forwarded: profile({
    ...autoconfirm,
    GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED: 'true',
    GOTRUE_MAILER_EXTERNAL_HOSTS: 'listed.test,other.test',
    GOTRUE_RATE_LIMIT_HEADER: 'X-Client',
    GOTRUE_CORS_ALLOWED_HEADERS: 'apikey,x-extra',
  }),
  authorized: profile({
    GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES: 'known@a.test,other@a.test',
    GOTRUE_MAILER_URLPATHS_CONFIRMATION: '/auth/v1/verify',
    GOTRUE_MAILER_URLPATHS_RECOVERY: 'https://mails.test/r',
    GOTRUE_MAILER_OTP_LENGTH: '8',
    GOTRUE_JWT_EXP: '60',
    GOTRUE_AUDIT_LOG_DISABLE_POSTGRES: 'true',
    GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED: 'false',
    GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: '100',
  }),
  'email-autoconfirm': profile({
    GOTRUE_MAILER_AUTOCONFIRM: 'true',
    GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED: 'false',
    ...phone,
    GOTRUE_SMS_TEST_OTP_VALID_UNTIL: '2020-01-01T00:00:00Z',
    GOTRUE_SECURITY_MANUAL_LINKING_ENABLED: 'true',
  }),
  'mfa-hooks': profile({
    ...mfa,
    ...httpHook('MFA_VERIFICATION_ATTEMPT'),
    ...httpHook('AFTER_USER_CREATED'),
    GOTRUE_SESSIONS_ALLOW_LOW_AAL: '1h',
    GOTRUE_MFA_MAX_ENROLLED_FACTORS: '2',
    GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION: '60',
  }),
  'no-sms': profile({ GOTRUE_EXTERNAL_PHONE_ENABLED: 'true' }),
  saml: profile({
    GOTRUE_SAML_ENABLED: 'true',
    GOTRUE_SAML_PRIVATE_KEY: serviceKey,
  }),
  web3: profile({
    GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED: 'true',
    GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED: 'true',
    GOTRUE_EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION: '876000h',
    GOTRUE_EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION: '876000h',
    GOTRUE_RATE_LIMIT_WEB3: '100000',
    GOTRUE_URI_ALLOW_LIST: `${base.GOTRUE_URI_ALLOW_LIST},http://localhost:3000/**`,
  }),
  'web3-minutes': profile({ GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED: 'true' }),
  custom: profile({ GOTRUE_CUSTOM_OAUTH_ENABLED: 'true', GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS: '2' }),
  'custom-off': profile({ GOTRUE_CUSTOM_OAUTH_ENABLED: 'false' }),
  scim: profile({ GOTRUE_EXPERIMENTAL_SCIM_ENABLED: 'true' }),
  'sms-twilio': profile(
    carrier('twilio', {
      ...{ ACCOUNT_SID: 'AC1', AUTH_TOKEN: 'a-token', MESSAGE_SERVICE_SID: 'MG1', CONTENT_SID: 'HX1' },
    }),
  ),
  'sms-twilio_verify': profile(
    carrier('twilio_verify', { ACCOUNT_SID: 'AC1', AUTH_TOKEN: 'a-token', MESSAGE_SERVICE_SID: 'VA1' }),
  ),
  'sms-messagebird': profile(carrier('messagebird', { ACCESS_KEY: 'a-key', ORIGINATOR: 'Nilam' })),
  'sms-textlocal': profile(carrier('textlocal', { API_KEY: 'a-key', SENDER: 'NILAM' })),
  'sms-vonage': profile(carrier('vonage', { API_KEY: 'a-key', API_SECRET: 'a-secret', FROM: 'Nilam' })),
  'sms-unset': profile(carrier('twilio', { ACCOUNT_SID: 'AC1' })),
  unset: profile({ ...autoconfirm, GOTRUE_JWT_AUD: '', GOTRUE_JWT_DEFAULT_GROUP_NAME: '' }),
};
