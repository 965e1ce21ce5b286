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
];
