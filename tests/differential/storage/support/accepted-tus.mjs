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
];
