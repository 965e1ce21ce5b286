// Differences that are meant to be. Each stands in docs/differences.md in the words of `documented`; what is
// left to chance by the original has no such words, and does not count between two copies of it either.
//
// `scenario`, `what` (the request) and `place` (the path of the value) are compared as text or as a pattern;
// `if` may look at everything. A status that differs is compared with what was answered: `[status, …, body]`.

/** Both values are among these. */
const among =
  (...values) =>
  ({ their, our }) =>
    [their, our].every((value) => values.includes(value));

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
];
