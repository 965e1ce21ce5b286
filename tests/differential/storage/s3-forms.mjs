// The S3 protocol: forms that browsers post.

import { S3_KEY, TOKENS } from './support/profiles.mjs';
import { session } from './support/s3.mjs';
import { form } from './support/side.mjs';
import { postPolicy } from './support/sigv4.mjs';

export default [
  {
    name: 'forms of browsers',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      const later = () => new Date(Date.now() + 600_000).toISOString();
      const key = { key: S3_KEY.id, secret: S3_KEY.secret };
      const post = (
        as,
        {
          fields,
          conditions,
          expiration = later(),
          options = key,
          extra = [],
          change = (x) => x,
          file = ['file', { name: 'f.txt', type: 'text/plain', body: 'posted' }],
          bucket = 'b',
        },
      ) => {
        const complete = change(postPolicy({ fields, conditions, expiration }, options));
        const parts = Object.entries(complete).filter(([, value]) => value !== undefined);
        const made = form([...parts, ...extra, ...(file ? [file] : [])]);
        return t.send('POST', `/s3/${bucket}`, { ...made, as: `form: ${as}` });
      };
      const fields = { key: 'posted.txt', bucket: 'b' };
      const conditions = [{ bucket: 'b' }, ['starts-with', '$key', 'posted']];
      await post('plain', { fields, conditions });
      await t.get('/object/info/b/posted.txt', { token: TOKENS.service });
      await post('bucket is not a field', { fields: { key: 'posted2.txt' }, conditions });
      await post('another key', { fields: { key: 'other.txt' }, conditions });
      await post('expired', { fields, conditions, expiration: new Date(Date.now() - 1000).toISOString() });
      await post('no expiration', { fields, conditions, change: (x) => x, expiration: null });
      await post('expiration is nonsense', { fields, conditions, expiration: 'never' });
      await post('an uncovered field', { fields: { ...fields, 'x-extra': 'y' }, conditions });
      await post('an ignored field', { fields: { ...fields, 'x-ignore-me': 'y' }, conditions });
      await post('a type', {
        fields: { ...fields, 'Content-Type': 'text/css' },
        conditions: [...conditions, ['eq', '$Content-Type', 'text/css']],
      });
      await t.get('/object/info/b/posted.txt', { token: TOKENS.service });
      await post('a range that fits', {
        fields,
        conditions: [...conditions, ['content-length-range', 1, 10]],
      });
      await post('a range that is too small', {
        fields,
        conditions: [...conditions, ['content-length-range', 1, 2]],
      });
      await post('a range that is too large', {
        fields,
        conditions: [...conditions, ['content-length-range', 100, 200]],
      });
      await post('${filename}', { fields: { key: 'posted/${filename}' }, conditions });
      await post('success_action_status', {
        fields: { ...fields, success_action_status: '201' },
        conditions: [...conditions, { success_action_status: '201' }],
      });
      await post('success_action_redirect', {
        fields: { ...fields, success_action_redirect: 'https://site.test/' },
        conditions: [...conditions, { success_action_redirect: 'https://site.test/' }],
      });
      await post('metadata', {
        fields: { ...fields, 'x-amz-meta-a': 'b' },
        conditions: [...conditions, { 'x-amz-meta-a': 'b' }],
      });
      await post('a wrong signature', { fields, conditions, options: { ...key, signature: '0'.repeat(64) } });
      await post('another secret', { fields, conditions, options: { ...key, secret: 'x' } });
      await post('an unknown key', { fields, conditions, options: { ...key, key: 'x' } });
      await post('a session', { fields, conditions, options: session(TOKENS.service) });
      await post('no file', { fields, conditions, file: null });
      await post('no key', { fields: {}, conditions: [{ bucket: 'b' }] });
      await post('another bucket', { fields, conditions, bucket: 'c' });
      await post('a policy that is no base64', {
        fields,
        conditions,
        change: (x) => ({ ...x, Policy: '{}' }),
      });
      await post('no policy', { fields, conditions, change: (x) => ({ ...x, Policy: undefined }) });
      await post('no signature', {
        fields,
        conditions,
        change: (x) => ({ ...x, 'X-Amz-Signature': undefined }),
      });
      await post('no credential', {
        fields,
        conditions,
        change: (x) => ({ ...x, 'X-Amz-Credential': undefined }),
      });
      await post('no date', { fields, conditions, change: (x) => ({ ...x, 'X-Amz-Date': undefined }) });
      await post('a wrong name', { fields: { key: 'posted-é' }, conditions });
      await post('fields after the file', {
        fields: { key: 'posted.txt' },
        conditions,
        extra: [],
        change: (x) => x,
      });
    },
  },
];
