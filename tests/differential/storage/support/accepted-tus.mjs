// Differences of resumable uploads that are meant to be; see accepted.mjs.

export const acceptedOfTus = [
  {
    scenario: /^(resumable|policies)/,
    place: /^(objects|body)\.version$/,
    reason: 'an upload gets its version when it is an object',
    documented: 'the address of an upload and the version of the object are two numbers',
  },
  {
    scenario: /^(resumable|policies)/,
    place: 'without a row',
    if: ({ our }) => our === undefined,
    reason: 'the original leaves what is unfinished where objects are',
    documented: 'what of a resumable upload is there so far lies beside the objects',
  },
  {
    scenario: /^(resumable|refusals)/,
    place: /^headers\.access-control-/,
    if: ({ their, our }) => their === undefined && our !== undefined,
    reason: 'a browser may read why it was refused',
    documented: 'answers of TUS that refuse have their CORS headers, too',
  },
  {
    scenario: /^resumable/,
    if: ({ place, their }) => place.endsWith('content-length') || /contains dot path segment/.test(their),
    what: /Yi8uLi8uLi94L3Y|notes: two dots/,
    reason: 'no message has a path of the server',
    documented: 'a key with the segment `.` or `..` is refused everywhere',
  },
  {
    scenario: 'resumable-users: with a signed address',
    what: /^POST /,
    place: 'status',
    if: ({ their, our }) => their?.[0] === 201 && our?.[0] === 409,
    reason: 'what could not end is not begun',
    documented: 'a resumable upload that may not overwrite does not begin over an object',
  },
  {
    scenario: 'resumable: in one piece and in parts',
    what: /^PATCH .* 0 bytes /,
    place: 'status',
    if: ({ their, our }) => their?.[0] === 409 && our?.[0] === 204,
    reason: 'a client that lost an answer may ask again',
    documented: 'an empty `PATCH` at the end of a finished upload is 204',
  },
  {
    scenario: 'resumable: protocol',
    what: /content-type: application\/json/,
    if: ({ place, our }) => place !== 'body' || our === 'Invalid content-type\n',
    reason: 'JSON is a wrong type like any other',
    documented: 'a `PATCH` of JSON is refused as TUS has it',
  },
  {
    scenario: 'resumable-users: over an object',
    what: /^PATCH .* upload-offset: 0$/,
    if: ({ place, their, our }) =>
      place === 'headers.content-length' ||
      (their === 'The resource already exists' && our === 'Upload-Offset conflict\n'),
    reason: 'what is complete is not asked for again, and both refuse it with 409',
    documented: 'a `PATCH` of an upload that is complete is an offset conflict',
  },
  {
    scenario: 'resumable-users: addresses without a public one',
    what: /x-forwarded-proto: (https, http|javascript)/,
    place: 'status',
    if: ({ their, our }) => their?.[0] === 400 && our?.[0] === 201 && /^https?:/.test(our?.[1]),
    reason: 'proxies behind proxies make lists of it',
    documented: 'of several `X-Forwarded-Proto` the first counts',
  },
  {
    scenario: 'resumable: what is said of an upload',
    place: /^(body\.metadata|objects\.user_metadata)$/,
    if: ({ their, our }) => String(their) === '5' && our === null,
    reason: 'metadata are an object, as they are everywhere else',
    documented: 'user metadata that are no object are none',
  },
];
