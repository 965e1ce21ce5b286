// Settings under which scenarios run; every server of a profile starts anew.

import { jwt } from '../../side.mjs';

export const SECRET = 'a secret for the differential run of storage, long enough';
export const S3_KEY = { id: 'b585f311d839730f8a980a3457be2787', secret: '67d161a7a8a46a24a17a75b26e7724f1' };
export const TENANT = 'differential';
/** Bytes that a standard upload, and that any upload may have. */
export const LIMITS = { standard: 200_000, any: 300_000 };

const FOREVER = { iat: 1_700_000_000, exp: 4_000_000_000 };
const signed = (claims) => jwt(claims, { secret: SECRET });
export const USERS = {
  asha: '6e1a6f2c-0f0b-4c1c-8a64-1d8f4b0c9a01',
  ravi: '6e1a6f2c-0f0b-4c1c-8a64-1d8f4b0c9a02',
};
export const TOKENS = {
  anon: signed({ role: 'anon', ...FOREVER }),
  service: signed({ role: 'service_role', ...FOREVER }),
  asha: signed({ role: 'authenticated', sub: USERS.asha, ...FOREVER }),
  ravi: signed({ role: 'authenticated', sub: USERS.ravi, ...FOREVER }),
};

const plain = {
  AUTH_JWT_SECRET: SECRET,
  ANON_KEY: TOKENS.anon,
  SERVICE_KEY: TOKENS.service,
  TENANT_ID: TENANT,
  REGION: 'us-east-1',
  UPLOAD_FILE_SIZE_LIMIT: String(LIMITS.any),
  UPLOAD_FILE_SIZE_LIMIT_STANDARD: String(LIMITS.standard),
  UPLOAD_SIGNED_URL_EXPIRATION_TIME: '600',
  S3_PROTOCOL_ACCESS_KEY_ID: S3_KEY.id,
  S3_PROTOCOL_ACCESS_KEY_SECRET: S3_KEY.secret,
  AUTH_ENCRYPTION_KEY: 'an encryption key of the differential run',
  GLOBAL_S3_BUCKET: 'blobs',
  LOG_LEVEL: 'warn',
};

const keys = {
  keys: [
    {
      kty: 'oct',
      k: Buffer.from('another secret of the differential run').toString('base64url'),
      kid: 'second',
      alg: 'HS256',
    },
  ],
  urlSigningKey: { kty: 'oct', k: Buffer.alloc(64, 7).toString('base64url'), kid: 'urls', alg: 'HS512' },
};

export const profiles = {
  plain,
  /** As in the platform: behind a gateway that takes a prefix away. */
  gateway: {
    ...plain,
    REQUEST_ALLOW_X_FORWARDED_PATH: 'true',
    STORAGE_PUBLIC_URL: 'https://api.example.test',
    RESPONSE_S_MAXAGE: '60',
    JWT_JWKS: JSON.stringify(keys),
  },
  /** Images are on, but nobody renders. */
  images: { ...plain, IMAGE_TRANSFORMATION_ENABLED: 'true', IMGPROXY_URL: 'http://127.0.0.1:9' },
  /** Without the S3 protocol, with hard limits. */
  narrow: {
    ...plain,
    S3_PROTOCOL_ENABLED: 'false',
    REQUEST_HARD_LIMITS_ENABLED: 'true',
    EXPOSE_DOCS: 'false',
  },
};
