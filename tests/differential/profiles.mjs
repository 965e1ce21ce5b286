// The settings that scenarios run under; both servers get the same. `{receiver}` is each one's own receiver.

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
  GOTRUE_RATE_LIMIT_EMAIL_SENT: '100000',
  GOTRUE_RATE_LIMIT_SMS_SENT: '100000',
  GOTRUE_EXTERNAL_EMAIL_ENABLED: 'true',
};
for (const kind of ['INVITE', 'CONFIRMATION', 'RECOVERY', 'EMAIL_CHANGE', 'MAGIC_LINK', 'REAUTHENTICATION'])
  base[`GOTRUE_MAILER_SUBJECTS_${kind}`] = `${kind} for {{ .Email }}`;

const phone = {
  GOTRUE_EXTERNAL_PHONE_ENABLED: 'true',
  GOTRUE_HOOK_SEND_SMS_ENABLED: 'true',
  GOTRUE_HOOK_SEND_SMS_URI: '{receiver}/hooks/send-sms',
  GOTRUE_HOOK_SEND_SMS_SECRETS: 'v1,whsec_aGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8=',
  GOTRUE_SMS_TEST_OTP: '15550000001:123456,15550000002:654321',
};

const profile = (more, sql) => ({ settings: { ...base, ...more }, sql });

export const profiles = {
  plain: profile({}),
  autoconfirm: profile({
    ...phone,
    GOTRUE_MAILER_AUTOCONFIRM: 'true',
    GOTRUE_SMS_AUTOCONFIRM: 'true',
    GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED: 'true',
  }),
};
