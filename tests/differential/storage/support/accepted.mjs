// Differences that are meant to be. Each stands in docs/differences.md in the words of `documented`; what is
// left to chance by the original has no such words, and does not count between two copies of it either.
//
// `scenario`, `what` (the request) and `place` (the path of the value) are compared as text or as a pattern;
// `if` may look at everything. A status that differs is compared with what was answered: `[status, …, body]`.

import { acceptedOfS3 } from './accepted-s3.mjs';

/** Both values are among these. */
const among =
  (...values) =>
  ({ their, our }) =>
    [their, our].every((value) => values.includes(value));

/** A status and a `statusCode` of ours in place of theirs. */
const gives =
  (theirStatus, ours) =>
  ({ their, our }) =>
    their?.[0] === theirStatus &&
    (ours === undefined || (our?.[0] === ours[0] && our?.[1]?.statusCode === ours[1]));

/** Which of two missing things the original names is left to chance. */
const firstMissing = {
  what: /^(GET|HEAD) \/(object|render\/image)\/(info\/)?public\/(closed|none)\//,
  place: /^body\.(error|message|code)$/,
  if: among('Bucket not found', 'NoSuchBucket', 'not_found', 'Object not found', 'NoSuchKey'),
  reason: 'bucket and object are looked up at the same time, and the first that is missing is named',
};

const atTheSameTime = {
  scenario: 'uploads: at the same time',
  reason: 'of several uploads of one key at the same time exactly one is stored',
};

/** What differs between two copies of the original. */
export const byChance = [firstMissing, atTheSameTime];

export const accepted = [
  firstMissing,
  {
    ...atTheSameTime,
    if: ({ place, our }) => place !== 'stored' || our === 1,
    documented: 'of several uploads of one key at the same time exactly one is stored',
  },
  {
    what: /^(200001|300001|11) bytes in chunks into/,
    place: 'status',
    if: gives(200, [400, '413']),
    reason: 'a body whose length is not declared is limited, too',
    documented: 'an upload whose length is not declared ends at the limit, too',
  },
  {
    scenario: 'forms: sizes that are not declared',
    what: 'rows and blobs',
    if: ({ our }) => our === undefined,
    reason: 'what such an upload would have left',
    documented: 'an upload whose length is not declared ends at the limit, too',
  },
  {
    place: /^body\.message$|^body$/,
    if: ({ their, our }) =>
      /Invalid key: blobs\/\S* contains dot path segment/.test(their) && /Invalid key: [^<]*\.\.?/.test(our),
    reason: 'messages do not name paths of the server',
    documented: 'a key with the segment `.` or `..` is named as it was sent',
  },
  {
    what: /modified since same$/,
    place: 'status',
    if: ({ their, our }) => their[0] === 200 && our[0] === 304,
    reason: 'dates of requests have no milliseconds, so those of objects are compared without',
    documented: 'an object is not modified since its own `Last-Modified`',
  },
  {
    scenario: /^lists: /,
    what: /("prefix":""|"with_delimiter":true.*),"sortBy":{("column":"name",)?"order":"desc"}/,
    place: /^(body|keys|status)/,
    reason: 'a folder of a single object is lost by a function of the original',
    documented: 'listing by name in descending order shows a folder that holds a single object',
  },
  {
    place: 'status',
    if: ({ their, our }) =>
      their?.[0] === 500 &&
      our?.[0] < 500 &&
      /code: (22003|22021|22007)\b|InternalError/.test(JSON.stringify(their)),
    reason: 'what a client sends does not end in a 500',
    documented:
      'a number, a date, a null character or a name that the database or the file system cannot take is no 500',
  },
  ...acceptedOfS3,
];
