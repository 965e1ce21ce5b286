// Differences that are meant to be. Each stands in docs/differences.md in the words of `documented`; what is
// left to chance by the original has no such words, and does not count between two copies of it either.
//
// `scenario`, `what` (the request) and `place` (the path of the value) are compared as text or as a pattern;
// `if` may look at everything. A status that differs is compared with what was answered: `[status, …, body]`.

import { acceptedOfS3 } from './accepted-s3.mjs';
import { acceptedOfTus } from './accepted-tus.mjs';

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
    what: /\.\.%2F|%2e|\/\.\/|: (two )?dots?( |$)|: a dot|"\.\.\/x"/,
    if: ({ their, our }) =>
      [their, our].some((text) =>
        among('404', '400', 'not_found', 'InvalidKey', 'NoSuchKey')({ their: text, our: text }),
      ) || /Invalid key: (?!blobs)[^<]*\.\.?/.test(our?.[1]?.message ?? our),
    reason: 'such a key is refused wherever it is named, and no message has a path of the server',
    documented: 'a key with the segment `.` or `..` is refused everywhere',
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
    if: ({ what, their, our }) =>
      their?.[0] === 500 &&
      our?.[0] < 500 &&
      (/code: (22003|22021|22007)\b/.test(JSON.stringify(their)) || /k{40}|longer than|256/.test(what)),
    reason: 'what a client sends does not end in a 500',
    documented:
      'a number, a date, a null character or a name that the database or the file system cannot take is no 500',
  },
  {
    scenario: /^buckets: (names|bodies) when making one$/,
    what: /POST \/bucket \{"name":"\.\.?"\}|(get: (a dot|two dots)|(make|list after): id is wrong)$|rows and blobs/,
    if: ({ their, our }) => our === undefined || our === '' || their?.[0] === 200,
    reason: 'what is no folder is no bucket',
    documented: 'a bucket whose id is `.` or `..` or has a slash is refused',
  },
  {
    what: 'make: type ANALYTICS',
    place: 'status',
    if: gives(200, [400, '409']),
    reason: 'what would be made could not be used',
    documented: 'a bucket of type `ANALYTICS` is refused',
  },
  {
    scenario: 'reads: rows that others made',
    place: /^headers\.(etag|content-type|content-length|last-modified|cache-control)$|^body$/,
    reason: 'a read tells what the row says, not what the blob does',
    documented: 'what a read says of an object comes from its row',
  },
  {
    scenario: 'refusals: bodies that cannot be read',
    what: /: a (prototype|constructor)$|rows and blobs/,
    if: ({ what, our }) => what !== 'rows and blobs' || /^(p|q)$/.test(our?.name),
    reason: 'these names have no meaning here',
    documented: '`__proto__` and `constructor` are keys of JSON like any other',
  },
  {
    scenario: 'refusals: bodies that cannot be read',
    what: /: (very deep|not UTF-8)$/,
    if: ({ our }) => /FastifyError|Body is not valid JSON/.test(JSON.stringify(our)),
    reason: 'what is wrong with a body is said in other words',
    documented: 'what makes a body unreadable is said in other words',
  },
  {
    scenario: /^refusals: tokens/,
    what: /: (padding|something behind|a changed signature)$/,
    if: ({ our }) => our?.[0] === 400 || !Array.isArray(our),
    reason: 'a signature is decoded strictly',
    documented: 'padding or something else behind a token is refused',
  },
  {
    scenario: 'signed: uploading: making one',
    place: 'status',
    if: ({ their, our }) => their?.[0] === 200 && our?.[1]?.code === 'InvalidKey',
    reason: 'what could not be uploaded is not signed',
    documented: 'an upload to a key that is wrong is not signed',
  },
  {
    what: /\/documentation/,
    place: 'status',
    reason: 'the description of the API is not served',
    documented: 'there is no `/documentation`',
  },
  {
    what: /^read: no end$|old secret, read: no end$/,
    place: /^headers\.(expires|cache-control)$/,
    reason: 'what has no end has no date for it',
    documented: 'a signed read whose token has no end says no `Expires`',
  },
  {
    what: /^a row without its blob/,
    place: 'status',
    if: gives(500, [400, '404']),
    reason: 'it is missing, and on S3 the original says so',
    documented: 'an object whose blob is gone is answered as missing',
  },
  {
    scenario: 'caches: images without a renderer',
    place: 'status',
    if: ({ their, our }) => their?.[0] === 500 && [200, 400].includes(our?.[0]),
    reason: 'there is no renderer that could be away',
    documented: 'images are rendered by the service itself',
  },
  {
    scenario: 'refusals: tokens, gateway',
    what: /: a known key without a kid$/,
    reason: 'the key that signed the token is one of the set',
    documented: 'a token without a `kid` may be signed with any key',
  },
  {
    scenario: 'buckets: limits when making one',
    place: /file_size_limit$/,
    if: ({ their, our }) => their === null && String(our) === '20000',
    reason: 'an array of one value is this value everywhere else',
    documented: 'a limit of a bucket that is given as `["20kb"]` counts',
  },
  {
    scenario: 'signed: reading: making one',
    what: /%2F/,
    place: 'body.signedURL',
    if: ({ their, our }) => their.replaceAll('%2F', '/') === our,
    reason: 'however it is written, it is the same key',
    documented: 'a signed URL names the key, however the request wrote it',
  },
  {
    scenario: 'signed: with a key of their own',
    place: /^body\.(signedURL|url|token)$/,
    if: ({ their, our }) =>
      their.replace('{"kid":"urls","alg":"HS512"}', '{"alg":"HS512","kid":"urls"}') === our,
    reason: 'the order of members has no meaning',
    documented: 'a signed URL names the key, however the request wrote it',
  },
  ...acceptedOfS3,
  ...acceptedOfTus,
];
