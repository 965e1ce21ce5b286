// The S3 protocol: what storage-api does not do. It takes such a request for another one; a PUT of tags, for
// instance, writes them over the object.

import { prepared, xml } from './support/s3.mjs';

const ofBuckets = `acl policy cors lifecycle website tagging encryption versions object-lock notification policyStatus
  replication logging requestPayment accelerate analytics inventory metrics ownershipControls publicAccessBlock`;
const ofObjects = [
  'acl',
  'tagging',
  'retention',
  'legal-hold',
  'torrent',
  'attributes',
  'versionId',
  'partNumber',
];

export default [
  {
    name: 'of buckets',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      for (const name of ofBuckets.split(/\s+/))
        for (const method of ['GET', 'PUT', 'DELETE'])
          await t.s3(method, '/b', { query: { [name]: '' }, ...(method === 'PUT' ? xml('<x/>') : {}) });
      await t.s3('PUT', '/b', { query: { versioning: '' }, ...xml('<x/>') });
    },
  },
  {
    name: 'of objects',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const name of ofObjects) {
        if (name !== 'tagging') await t.s3('GET', '/b/a.txt', { query: { [name]: '1' } });
        await t.s3('PUT', '/b/a.txt', { query: { [name]: '1' }, body: '<x/>' });
        await t.s3('DELETE', '/b/a.txt', { query: { [name]: '1' } });
      }
      await t.s3('POST', '/b/a.txt', { query: { restore: '' }, body: 'x' });
      await t.s3('POST', '/b/a.txt', { query: { select: '', 'select-type': '2' }, body: 'x' });
    },
  },
  {
    name: 'conditions of copies',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const copy = (headers) =>
        t.s3('PUT', '/b/copy', { headers: { 'x-amz-copy-source': 'b/a.txt', ...headers } });
      await copy({ 'x-amz-copy-source-if-match': '"x"' });
      await copy({ 'x-amz-copy-source-if-none-match': '*' });
      await copy({ 'x-amz-copy-source-if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' });
      await copy({ 'x-amz-copy-source-if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' });
      await t.s3('PUT', '/b/copy', { headers: { 'x-amz-copy-source': 'b/a.txt?versionId=x' } });
      await t.s3('HEAD', '/b/copy');
    },
  },
];
