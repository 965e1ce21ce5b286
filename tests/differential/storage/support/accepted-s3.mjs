// Differences of the S3 protocol that are meant to be; see accepted.mjs.

const hasCode = (code) => (answer) => new RegExp(`<Code>${code}</Code>`).test(String(answer?.[1]));
const ourCode =
  (...codes) =>
  ({ our }) =>
    codes.some((code) => hasCode(code)(our));
const unquoted = (text) => String(text).replaceAll('"', '');

/** A listing without the ends of its common prefixes, and of the markers made of them. */
const withoutEnds = (text) =>
  String(text)
    .replace(/(<CommonPrefixes><Prefix>[^<]*)[^<]<\/Prefix>/g, '$1</Prefix>')
    .replace(/\\no:asc|\no:asc/g, '')
    .replace(/(<(?:Next)?(?:ContinuationToken|Marker)>\{?[^<}]*?)[/x.t]*(\}?<)/g, '$1$2');
const sorted = (text) => (String(text).match(/<Bucket>.*?<\/Bucket>/g) ?? []).sort().join('');

const undone = 'what storage-api does not do of S3 is 501';
const checked = 'the hash and the length that an S3 upload declares are checked';
const parts = 'ETags of parts are quoted and parts have a size';

export const acceptedOfS3 = [
  {
    place: 'status',
    if: ourCode('NotImplemented'),
    reason: 'storage-api takes an unknown subresource for the bucket or the object itself',
    documented: undone,
  },
  {
    scenario: /^s3-undone: of /,
    reason: 'what follows from taking a subresource for the object',
    documented: undone,
  },
  {
    scenario: 's3-undone: conditions of copies',
    if: ({ what, our }) => !/"x-amz-copy-source":/.test(what) || ourCode('PreconditionFailed')({ our }),
    reason: 'conditions of a copy count',
    documented: 'the conditions of an S3 copy count',
  },
  {
    place: 'status',
    if: ourCode('XAmzContentSHA256Mismatch', 'IncompleteBody'),
    reason: 'a body that is not what was announced is refused',
    documented: checked,
  },
  {
    scenario: 's3-signatures: chunk by chunk',
    place: 'status',
    if: ({ our }) => /Incomplete trailer section|Invalid streaming algorithm/.test(our?.[1]),
    reason: 'a trailer or an algorithm that was not announced is refused',
    documented: checked,
  },
  {
    scenario: 's3-signatures: chunk by chunk',
    what: 'rows and blobs',
    if: ({ their, our }) => our === undefined && /unknown/.test(their?.name),
    reason: 'what a refused upload would have left',
    documented: checked,
  },
  {
    place: 'headers.etag',
    if: ({ their, our }) => `"${their}"` === our,
    reason: 'S3 quotes every ETag',
    documented: parts,
  },
  {
    place: 'body',
    if: ({ their, our }) =>
      /<(ListPartsResult|CopyPartResult) /.test(our) &&
      unquoted(our).replace(/<Size>\d+<\/Size>/g, '') === unquoted(their),
    reason: 'S3 quotes every ETag, and says how large parts are',
    documented: parts,
  },
  {
    place: 'headers.accept-ranges',
    if: ({ their, our }) => their === undefined && our === 'bytes',
    reason: 'ranges are understood, so it is said',
    documented: 'S3 reads say `Accept-Ranges`',
  },
  {
    what: /^form: (a range that is too|\$\{filename\})/,
    place: 'status',
    reason: 'a policy of a form means what S3 says it means',
    documented: '`content-length-range` and `${filename}` of S3 forms count',
  },
  {
    scenario: 's3-forms: forms of browsers',
    what: 'rows and blobs',
    if: ({ their }) => their === undefined,
    reason: 'what `${filename}` stored',
    documented: '`content-length-range` and `${filename}` of S3 forms count',
  },
  {
    place: 'body',
    if: ({ their, our }) => [their, our].every((text) => String(text).includes('<Code>MalformedXML</Code>')),
    reason: 'what is wrong with XML is said in other words',
    documented: 'what makes XML unreadable is said in other words',
  },
  {
    scenario: 's3-signatures: in headers',
    what: /x-two|"a":\["2","1"\]|"é":"ü"/,
    place: 'status',
    if: ({ their, our }) => their?.[0] === 403 && our?.[0] === 200,
    reason: 'blanks in headers, repeated and non-ASCII parameters are signed as S3 has it',
    documented: 'blanks within signed headers, repeated and non-ASCII query parameters verify, as S3 has it',
  },
  {
    scenario: 's3-multipart: as S3 has it',
    reason: 'the last upload of a part counts, in the order of the numbers, and for its own key alone',
    documented: 'an upload in parts answers to its own key alone',
  },
  {
    scenario: 's3-multipart: listing what is under way',
    place: 'body',
    if: ({ what, their }) => /"prefix":"F"|"key-marker"/.test(what) || /<NextKeyMarker>/.test(their),
    reason: 'markers are keys and numbers of uploads, not cursors, and prefixes have a case',
    documented: 'markers of listings of uploads are keys and ids',
  },
  {
    what: /"b\/sour%63e"|^S3 HEAD \/b\/copy9 /,
    place: 'status',
    reason: 'the source of a copy is percent-decoded, as AWS has it',
    documented: '`x-amz-copy-source` is percent-decoded',
  },
  {
    scenario: 's3-objects: deleting and copying',
    what: 'rows and blobs',
    if: ({ their, our }) => their === undefined && /copy9/.test(our?.name),
    reason: 'what such a copy stored',
    documented: '`x-amz-copy-source` is percent-decoded',
  },
  {
    place: 'body',
    if: ({ their, our }) =>
      [their, our].every((text) => /<Code>InvalidRequest<\/Code><Message>Body\b/.test(String(text))),
    reason: 'what is missing in XML is said in other words',
    documented: 'what makes XML unreadable is said in other words',
  },
  {
    what: /^S3 POST \/b \{"delete":""\}$/,
    place: 'status',
    if: ({ their, our }) => their?.[0] === 400 && our?.[0] === 200,
    reason: 'there is nothing else that a body could be',
    documented: 'XML of S3 is read whatever type it is said to have',
  },
  {
    scenario: /^s3: listings/,
    what: /page \d|"delimiter":/,
    place: 'body',
    if: ({ their, our }) => withoutEnds(their) === withoutEnds(our),
    reason: 'common prefixes end in the delimiter whatever it is',
    documented: 'common prefixes end in the delimiter, whatever it is',
  },
  {
    place: 'body',
    if: ({ their, our }) => sorted(their) !== '' && sorted(their) === sorted(our),
    reason: 'buckets have an order',
    documented: 'S3 lists buckets by name',
  },
  {
    what: /"(marker|start-after)":"f\/?","delimiter":"\/"|"start-after":"f\/","delimiter":"\/"/,
    place: 'body',
    if: ({ their, our }) => [their, our].every((text) => String(text).includes('<ListBucketResult')),
    reason: 'a page begins right after its marker',
    documented: 'a page of keys begins right after its cursor',
  },
  {
    scenario: /^s3-/,
    place: 'status',
    if: ({ their, our }) => hasCode('InternalError')(their) && our?.[0] < 500,
    reason: 'what a client sends does not end in a 500',
    documented: 'that the database or the file system cannot take is no 500',
  },
  {
    what: /"content-type":"multipart\/form-data/,
    place: 'body',
    if: ({ their, our }) =>
      [their, our].every((text) => String(text).includes('Multipart form data not supported')),
    reason: 'every refusal of S3 is an Error',
    documented: 'a form where S3 has none is refused by an `Error` like any other',
  },
];
