// Differences that are meant to be. Each stands in docs/differences.md in the words of `documented`.
//
// `scenario`, `what` (the request) and `place` (the path of the value) are compared as text or as a pattern.

export const accepted = [
  {
    what: 'rows',
    place: /^audit_log_entries\.\d+\.ip_address$/,
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
];
