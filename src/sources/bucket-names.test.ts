// Names of objects that XML or a query cannot carry as they are.
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, it, onTestFinished } from 'vitest';
import { listAll } from '../../test/support/place-conformance.ts';
import { startS3Server } from '../../test/support/s3-server.ts';
import { guardedLookup, requireCallable } from '../outbound/guarded-lookup.ts';
import { compareKeys, type PlaceGuard } from './place.ts';
import { S3Place } from './s3/s3-place.ts';

const guard: PlaceGuard = {
  lookup: guardedLookup(true) as PlaceGuard['lookup'],
  requireCallable: (host) => requireCallable(host, true),
};
const keys = { accessKeyId: 'test', secretAccessKey: 'test' };
const never = new AbortController().signal;

it.each([
  ['line breaks', 'in/two\nlines.txt'],
  ['a carriage return', 'in/old\rmac.txt'],
  ['both', 'in/dos\r\nlines.txt'],
  ['a control sign', 'in/bell\u0007.txt'],
  ['blanks around it', 'in/ a  b .txt'],
  ['plus and percent signs', 'in/50%2B+1%.txt'],
  ['signs of XML', 'in/a&b<c>"d".txt'],
  ['a leading slash', '/in/a.txt'],
  ['dots for parts', 'in/../up/./a.txt'],
  ['empty parts', 'in//a.txt'],
  ['1,024 bytes', `in/${'l'.repeat(1_017)}.txt`],
  ['letters of any script', 'in/Übersicht 三月 😀.txt'],
])('a name with %s is listed, looked at, read, moved and gone on behind as it is', async (_, key) => {
  const server = await startS3Server();
  const { endpoint, bucket: Bucket } = server;
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials: keys, forcePathStyle: true });
  const place = new S3Place(
    { bucket: Bucket, region: 'us-east-1', endpoint, credentials: keys, moveTo: 'taken' },
    guard,
  );
  onTestFinished(async () => {
    client.destroy();
    await place.close();
    await server.close();
  });
  for (const Key of [key, 'zz/last.txt']) await client.send(new PutObjectCommand({ Bucket, Key, Body: 'content' }));
  const [object] = await listAll(place);
  if (object === undefined) throw new Error('nothing is listed');
  expect(object).toMatchObject({ key, bytes: 7 });
  expect(await place.look(key, never)).toMatchObject({ key, mark: object.mark });
  const chunks: Uint8Array[] = [];
  for await (const chunk of place.read(object, never)) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('content');
  const behind: string[] = [];
  for await (const page of place.list({ prefix: '', after: key }, never)) behind.push(...page.map((each) => each.key));
  expect(behind).toEqual(['zz/last.txt']);
  expect(compareKeys(key, 'zz/last.txt')).toBeLessThan(0);
  await place.putAway(object, 'move', never);
  expect((await listAll(place)).map((each) => each.key)).toEqual(['zz/last.txt']);
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'zz/last.txt' }));
});

it('bytes that are no text are no name of an object: the protocol refuses them', async () => {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  const answer = await fetch(`${server.endpoint}/${server.bucket}/%ff%fe.txt`, { method: 'PUT', body: 'x' });
  expect(answer.status).toBeGreaterThanOrEqual(400);
});

it('a key with a NUL is listed as unusable at its place, and a listing with a key that is no text proves nothing', async () => {
  const server = await startS3Server();
  const place = new S3Place(
    { bucket: server.bucket, region: 'us-east-1', endpoint: server.endpoint, credentials: keys },
    guard,
  );
  onTestFinished(async () => {
    await place.close();
    await server.close();
  });
  const listing = (...names: string[]) => {
    const entries = names.map((name) => `<Contents><Key>${name}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`);
    return `<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>${entries.join('')}</ListBucketResult>`;
  };
  const answer = (xml: string) => server.fail({ method: 'GET', url: /list-type/, times: 1, act: { xml } });
  answer(listing('a', 'a%00b', 'a-b'));
  expect(await listAll(place)).toMatchObject([
    { key: 'a' },
    { key: 'a\u0001b', fault: { code: 'source_object_name_unusable' } },
    { key: 'a-b' },
  ]);
  answer(listing('a', '%FF%FE.txt'));
  await expect(listAll(place)).rejects.toMatchObject({ code: 'source_listing_unusable' });
});
