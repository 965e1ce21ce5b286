// Differences that are meant to be. Each stands in docs/differences.md in the words of `documented`.
//
// `scenario`, `what` (the request) and `place` (the path of the value) are compared as text or as a pattern;
// `if` may look at everything. A status that differs is compared with what was answered: `[status, …, body]`.

export const accepted = [];
