// Differences that are meant to be. Each stands in docs/differences.md in the words of `documented`.
//
// `scenario`, `what` (the request) and `place` (the path of the value) are compared as text or as a pattern;
// `if` may look at everything. A status that differs is compared with what was answered: `[status, …, body]`.

const starts = (text) => (value) => String(value).startsWith(text);
const both =
  (check) =>
  ({ their, our }) =>
    check(their) && check(our);
const gives =
  (theirStatus, ourStatus) =>
  ({ their, our }) =>
    their[0] === theirStatus && (ourStatus === undefined || our[0] === ourStatus);

/** Whole scenarios that exist to show one difference. */
const whole = {
  'basics: JSON that our parser does not take': 'lone surrogates and more than 127 levels in a body',
  'tokens: a key id that is a number': 'a `kid` that is no text',
  'signup: an address that mail servers refuse': 'the part before the @ of an address ends at 64 bytes',
  'verify: redirects that are read differently': 'the fragment of a redirect is replaced',
  'admin: a password hash of Argon2': 'a user that is made with a hash and without metadata has empty ones',
  'hooks: odd answers over HTTP': 'redirects of hooks are not followed',
  'hooks: a slow function': 'two seconds end a hook in the database, also outside of a transaction',
  'settings: NULLs of other hands': 'NULL in a text column is read as an empty text',
  'saml: a domain that is named twice': 'a domain that is named twice counts once',
  'saml: a domain in other letters': 'the domain of a sign-in is looked up in any case',
  'web3: a message that is over': 'a signed Ethereum message that says when it expires is refused afterwards',
  'mfa: a second phone factor without a name': 'a phone factor makes way only for one that is enrolled',
};

export const accepted = [
  ...Object.entries(whole).map(([scenario, documented]) => ({ scenario, reason: documented, documented })),
  {
    place: /^(audit_log_entries|body\.\d+)\.ip_address$/,
    reason: 'audit rows say where a request came from',
    documented: "audit rows carry the client's address",
  },
  {
    place: /^body\.(msg|message|error_description)$/,
    if: ({ their, our }) =>
      ['Could not parse request body as JSON: ', 'Could not read verification params: '].some((prefix) =>
        [their, our].every(starts(prefix)),
      ),
    reason: 'what is wrong with a body is said in other words',
    documented: 'what makes a body or a token unreadable is said in other words',
  },
  {
    place: /^body\.(msg|message)$/,
    if: both((text) => String(text).includes('token is malformed: ')),
    reason: 'what is wrong with a token is said in other words',
    documented: 'what makes a body or a token unreadable is said in other words',
  },
  {
    what: /^HEAD /,
    place: 'status',
    if: gives(405),
    reason: 'HEAD is answered as GET is',
    documented: '`HEAD` is answered wherever `GET` is',
  },
  {
    place: 'headers.allow',
    if: ({ their, our }) => our?.replace('head, ', '').replace(', head', '') === their,
    reason: 'HEAD is answered as GET is',
    documented: '`HEAD` is answered wherever `GET` is',
  },
  {
    place: 'headers.allow',
    if: ({ their, status }) => their === undefined && status !== 405,
    reason: 'the methods of a path are no secret',
    documented: '`HEAD` is answered wherever `GET` is',
  },
  {
    place: 'headers.retry-after',
    if: ({ their, status }) => their === undefined && status === 429,
    reason: 'a limit says when it is over',
    documented: 'Every 429 has a `Retry-After`',
  },
  {
    what: /^GET \/health/,
    place: /^body\.(description|version)$/,
    reason: 'the version is ours',
    documented: '`/health` has our version',
  },
  {
    place: /^(body|headers\.content-type)$/,
    if: ({ status }) => status >= 300 && status < 400,
    reason: 'redirects have no body',
    documented: 'redirects have no body',
  },
  {
    scenario: 'basics: unusual bodies',
    what: /^POST \/token grant_type=password/,
    reason: 'a form without JSON has no password either',
    documented: 'the grant type is read from the query alone',
  },
  {
    what: /^(PUT|PATCH|DELETE) \/callback/,
    place: 'status',
    if: gives(303, 405),
    reason: 'callbacks are GET and POST',
    documented: 'other methods of `/callback` are 405',
  },
  {
    place: 'status',
    if: ({ their, our }) => their[0] === 500 && our[0] >= 400 && our[0] < 500,
    reason: 'what a client got wrong is no failure of ours',
    documented: 'what a request got wrong is 4xx where GoTrue answers 500',
  },
  {
    what: /^GET \/verify\?.*token=<pkce hash/,
    place: 'status',
    if: gives(500, 303),
    reason: 'what a client got wrong is no failure of ours',
    documented: 'what a request got wrong is 4xx where GoTrue answers 500',
  },
  {
    scenario: 'verify: PKCE',
    what: /^POST \/(recover|resend)/,
    place: 'status',
    if: gives(200, 400),
    reason: 'an unknown method is refused before the user is looked up',
    documented: 'an unknown `code_challenge_method` is 400 on every route',
  },
  {
    scenario: 'admin: lists',
    what: /per_page=0|page=0/,
    reason: 'pages begin at 1 and have a row at least',
    documented: 'pages begin at 1 and have at least one row',
  },
  {
    place: /^(\w+)\.[\w.]+$/,
    what: 'rows',
    if: ({ their, our }) => their === '' && our === null,
    reason: 'no value is NULL',
    documented: 'columns without a value are NULL where GoTrue writes an empty text',
  },
  {
    what: /^POST \/(admin\/users|signup)|^PUT \/user|sign up|^make /,
    place: /^body(\.user)?\.confirmed_at$/,
    if: ({ their }) => their === undefined,
    reason: 'answers are read after the writes',
    documented: 'answers show the rows as they are after the request',
  },
  {
    what: /^POST \/signup|^PUT \/admin\/users|sign up/,
    place: /^body(\.user)?\.identities\.\d+\.(email|identity_data\.\w+)$/,
    reason: 'answers are read after the writes',
    documented: 'answers show the rows as they are after the request',
  },
  {
    scenario: 'signup: under autoconfirm',
    place: /app_meta_?data\.providers?$/,
    if: ({ their }) => their === undefined,
    reason: 'the providers are those of the identities',
    documented: 'an anonymous user who gets an address gets its provider at once',
  },
  {
    scenario: /^(mfa|settings|webauthn): /,
    place:
      /^body\.user\.factors\.\d+$|^body\.user\.factors\.\d+\.(id|status|factor_type|friendly_name|last_challenged_at|updated_at|phone)$/,
    reason: 'answers are read after the writes',
    documented: 'answers show the rows as they are after the request',
  },
  {
    what: /generate_link/,
    place: 'body.hashed_token',
    reason: 'the hash fits the code',
    documented: 'the `hashed_token` of `email_change_new` fits the token that is stored',
  },
  {
    place: 'headers.x-sb-error-code',
    if: ({ their, our }) => their === undefined && our === 'weak_password',
    reason: 'every error has the header',
    documented: 'weak passwords have the header `x-sb-error-code` in both shapes',
  },
  {
    place: /^headers\.sb-auth-(user-id|session-id|refresh-token-prefix)$/,
    if: ({ our, status }) => our === undefined && status >= 400,
    reason: 'failures do not say whose the session was',
    documented: 'failed requests for tokens do not say whose session it was',
  },
  {
    what: /^GET \/settings/,
    place: 'body.saml_private_key_next_configured',
    reason: 'there is no next key without a key',
    documented: '`saml_private_key_next_configured` is true only where there is a next key',
  },
  {
    scenario: 'basics: public documents',
    what: 'GET /.well-known/openid-configuration',
    reason: 'a document without an issuer is of no use',
    documented: 'without `GOTRUE_JWT_ISSUER` the discovery document names the external URL',
  },
  {
    what: 'mails',
    place: 'mails.subject',
    if: ({ their, our }) => their.replace('&#43;', '+') === our,
    reason: 'subjects are no HTML',
    documented: 'subjects of mails are not escaped as HTML',
  },
  {
    place: 'headers.location.fragment.error_description',
    if: ({ their, our }) => their.replaceAll('%3A', ':') === our,
    reason: 'escaped once',
    documented: 'descriptions of errors are escaped once',
  },
  {
    what: /^POST \/factors/,
    place: /^body\.totp\.uri\./,
    reason: 'names of issuers may contain anything',
    documented: 'issuers of TOTP factors are escaped',
  },
  {
    scenario: 'external: beginnings',
    what: 'rows',
    place: 'flow_state.provider_type',
    reason: 'one name for a provider',
    documented: '`provider=GitHub` is `github` in identities, too',
  },
  {
    scenario: 'external: sign-ins',
    what: 'calls',
    if: ({ our, their }) => our === undefined && their.body.client_secret !== undefined,
    reason: 'a provider that fails is not asked again in another way',
    documented: 'a provider that refuses a code is not asked again with the secret in the body',
  },
  {
    scenario: /WebAuthn|webauthn/,
    what: 'rows',
    place: 'audit_log_entries',
    if: ({ their, our }) => their === undefined && our.payload.action === 'challenge_created',
    reason: 'all challenges are in the audit log',
    documented: 'its making is in the audit log for WebAuthn, too',
  },
  {
    place: /last_webauthn_challenge_data\./,
    reason: 'the response is kept as the client sent it',
    documented: '`last_webauthn_challenge_data` has the response as the client sent it',
  },
  {
    place: /^body\.options\.excludeCredentials\.\d+\.transports$/,
    if: ({ their }) => their === undefined,
    reason: 'a browser finds a known authenticator sooner',
    documented: 'excluded passkeys name their transports',
  },
  {
    place: /claims\.aud$/,
    if: ({ their, our }) => Array.isArray(their) && their[0] === our,
    reason: 'one audience is a text',
    documented: 'the audience that a token hook sees is a text from the first call on',
  },
  {
    place: /^body\.(msg|message)$/,
    if: both(starts('output claims do not conform to the expected schema: ')),
    reason: 'GoTrue lists the faults in any order',
    documented: 'the faults of the claims of a token hook are in a fixed order',
  },
  {
    what: 'calls',
    place: 'calls.body.claims.session_id',
    if: ({ our }) => our === '<uuid>',
    reason: 'failures do not say whose the session was',
    documented: 'failed requests for tokens do not say whose session it was',
  },
  {
    what: 'calls',
    place: 'calls.body.user.role',
    if: ({ their }) => their === '',
    reason: 'the hook sees the user that there will be',
    documented: 'the hook before a new user sees the role',
  },
  {
    place: /^body\.(msg|message)$/,
    if: ({ their }) => String(their).startsWith('Error running hook URI: '),
    reason: 'where a hook is remains ours',
    documented: 'an error of a hook in the database does not name its URI',
  },
  {
    place: /\.query\.SigAlg$/,
    reason: 'SHA-1 is not believed any more',
    documented: 'SAML requests are signed with RSA-SHA256',
  },
  {
    scenario: 'saml: beginnings',
    what: /"code_challenge_method":"x"/,
    place: 'body.msg',
    reason: 'one text for one fault',
    documented: 'is 400 on every route, with one text',
  },
  {
    scenario: 'saml: providers',
    what: /^(change: |delete$)/,
    place: 'body.saml.name_id_format',
    reason: 'what is not named is not changed',
    documented: 'Leaving `name_id_format` out of an update keeps it',
  },
  {
    scenario: /^saml: responses/,
    what: 'rows',
    place: /^(flow_state|saml_relay_states)$/,
    reason: 'an assertion counts once, and a sign-in that ended leaves no flow',
    documented: 'used assertions are marked in `saml_relay_states`',
  },
  {
    scenario: 'saml: responses',
    what: /^(rows|with a code)$/,
    place: /^(mfa_amr_claims|refresh_tokens|sessions|headers\.sb-auth-[\w-]+)$/,
    if: ({ our }) => our === undefined,
    reason: 'one sign-in is one session',
    documented: 'begins its session with the exchange of the code',
  },
  {
    scenario: /^saml: responses/,
    place: 'headers.location.query.error_description',
    if: ({ their, our }) => String(their).startsWith(`${our} <samlp:Response`),
    reason: 'an address is no place for a document',
    documented: 'GoTrue puts the whole response into the address of the site',
  },
  {
    scenario: /^sms: /,
    place: 'body.message_id',
    if: ({ their, our }) => their === undefined && our.length > 0,
    reason: 'as the description of the API has it',
    documented: 'holds its `message_id`',
  },
  {
    scenario: /^sms: /,
    what: 'out of order',
    place: 'body.msg',
    if: both(starts('Error sending confirmation OTP to provider: ')),
    reason: 'what an unreadable answer is called depends on the parser',
    documented: 'an answer of theirs that cannot be read by its status',
  },
  {
    scenario: 'sms: through textlocal',
    place: 'body.msg',
    if: ({ their }) => their.includes(' template message: '),
    reason: 'a code is a secret',
    documented: 'why Textlocal refused a template is told without the text',
  },
  {
    scenario: /^web3: /,
    place: /^body\.user\.identities\.0\.identity_data\.custom_claims\./,
    reason: 'answers are read after the writes',
    documented: 'the session of an external sign-in shows the identity as it is now',
  },
  {
    place: 'audit_log_entries.payload.traits.uri',
    reason: 'a URI is a text',
    documented: "The audit log has the URI of a wallet's message as text",
  },
  {
    scenario: 'custom: administration',
    what: 'GET /admin/custom-providers?type=oauth2',
    place: /^body/,
    reason: 'a list has an order',
    documented: 'custom providers of one type are listed as all are, newest first',
  },
  {
    scenario: 'custom: administration',
    what: /custom%3Ateam/,
    place: 'status',
    if: gives(400, 200),
    reason: 'an escaped colon is a colon',
    documented: 'identifiers may be escaped in a path',
  },
];
