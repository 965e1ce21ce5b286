// Differences that are meant to be. Each stands in docs/differences.md in the words of `documented`.
//
// `scenario`, `what` (the request) and `place` (the path of the value) are compared as text or as a pattern.

export const accepted = [
  {
    what: 'rows',
    place: 'audit_log_entries.ip_address',
    reason: 'audit rows say where a request came from',
    documented: "audit rows carry the client's address",
  },
  {
    place: /^body\.(msg|message|error_description)$/,
    if: ({ their, our }) =>
      [their, our].every((text) => String(text).startsWith('Could not parse request body as JSON: ')),
    reason: 'what is wrong with a body is said in other words',
    documented: 'what makes a body unreadable is said in other words',
  },
  {
    what: /^HEAD /,
    place: 'status',
    if: ({ their, our }) => their[0] === 405,
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
    place: /^body\.(msg|message)$/,
    if: ({ their, our }) => [their, our].every((text) => String(text).includes('token is malformed: ')),
    reason: 'what is wrong with a token is said in other words',
    documented: 'what makes a body unreadable is said in other words',
  },
  {
    place: 'body.msg',
    if: ({ their, our }) =>
      [their, our].every((text) => String(text).startsWith('Could not read verification params: ')),
    reason: 'what is wrong with a body is said in other words',
    documented: 'what makes a body unreadable is said in other words',
  },
];
