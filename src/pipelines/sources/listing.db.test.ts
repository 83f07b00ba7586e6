// A listing that does not come to its end proves no absence, and a sync that stopped in the middle goes on there.
import { createHash } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { useSources } from '../../../test/support/use-sources.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';

const bench = useSources();
const text = (seed: number) => prose(seed).join('\n\n');
const documentsIn = async (name: string, count: number) => {
  const keys = Array.from({ length: count }, (_, n) => `${name}/doc${String(n).padStart(3, '0')}.txt`);
  for (const [n, key] of keys.entries()) await bench.put(key, `${n} of ${name}. ${text(1)}`);
  return keys;
};

/** The page of a listing that shows this object alone and says that there is more. */
const pageOf = (key: string, content: string, more: string) => {
  const etag = createHash('md5').update(content).digest('hex');
  const object = `<Key>${key}</Key><Size>${Buffer.byteLength(content)}</Size><ETag>&quot;${etag}&quot;</ETag>`;
  const contents = `<Contents>${object}<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`;
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>${more}${contents}</ListBucketResult>`;
};

it('a listing that says there is more and does not go on is none: its sync fails, and nothing has vanished', async () => {
  const keys = await documentsIn('cut', 6);
  const source = await bench.connect(bench.wish('cut'));
  await bench.sync(source);
  const [first = ''] = keys;
  const before = await bench.served();
  const xml = pageOf(first, `0 of cut. ${text(1)}`, '');
  bench.bucket.fail({ method: 'GET', url: /list-type/, times: 100, act: { xml } });
  onTestFinished(() => bench.bucket.heal());
  expect(await bench.sync(source)).toMatchObject({ status: 'failed', error_code: 'source_listing_unusable' });
  expect(await bench.served()).toEqual(before);
  bench.bucket.heal();
  expect(await bench.sync(source)).toMatchObject({ receipt: { read: 6, outcomes: { unchanged: 6 }, vanished: 0 } });
});

it('a listing that breaks off behind its first page takes nothing away of what it did not show', async () => {
  const keys = await documentsIn('half', 6);
  const source = await bench.connect(bench.wish('half'));
  await bench.sync(source);
  const [first = ''] = keys;
  const before = await bench.served();
  const xml = pageOf(first, `0 of half. ${text(1)}`, '<NextContinuationToken>more</NextContinuationToken>');
  bench.bucket.fail({
    method: 'GET',
    url: /continuation-token/,
    times: 100,
    act: { status: 403, code: 'AccessDenied' },
  });
  bench.bucket.fail({ method: 'GET', url: /list-type/, times: 100, act: { xml } });
  onTestFinished(() => bench.bucket.heal());
  expect(await bench.sync(source)).toMatchObject({ status: 'failed', error_code: 'source_denied' });
  expect(await bench.served()).toEqual(before);
  bench.bucket.heal();
  expect(await bench.sync(source)).toMatchObject({ receipt: { read: 6, outcomes: { unchanged: 6 }, vanished: 0 } });
});

it('a sync that stopped in the middle lists on behind the last object whose fate is written, and counts each once', async () => {
  const keys = await documentsIn('resumed', 50);
  const source = await bench.connect(bench.wish('resumed', { after_taken: 'leave' }));
  const { store } = bench.deps;
  let stored = 0;
  const watched = new Proxy(store, {
    get(target, name: keyof typeof store) {
      if (name === 'put') {
        const put: typeof store.put = async (...given) => {
          stored += 1;
          // Behind the first commit: forty are written by then.
          if (stored === 45) throw new MillraceError('disk_full');
          return target.put(...given);
        };
        return put;
      }
      const own = target[name];
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
  Object.assign(bench.deps, { store: watched });
  onTestFinished(() => void Object.assign(bench.deps, { store }));
  const from = bench.bucket.requests.length;
  const sync = await bench.sync(source);
  expect(sync).toMatchObject({ status: 'synced', receipt: { read: 50, outcomes: { new: 50, unchanged: 0 } } });
  const listings = bench.bucket.requests.slice(from).filter((line) => line.includes('list-type'));
  expect(listings.at(-1)).toContain(`start-after=${encodeURIComponent(keys[39] ?? '')}`);
});

it('an object whose content is not taken in stays where it is, also where taken ones are moved', async () => {
  const { bucket, endpoint } = bench.bucket;
  const place = { kind: 's3', bucket, endpoint, move_to: 'moved-away' };
  const judgments = (name: string) => `case_number,county,judgment_date,amount\n${name},Kings,2026-01-02,10\n`;
  const source = await bench.connect(bench.wish('kept', { place, pipeline: 'judgments', after_taken: 'move' }));
  await bench.put('kept/batch.csv', judgments('A-1'));
  expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { new: 1 } } });
  await bench.put('kept/batch.csv', judgments('A-2'));
  expect(await bench.sync(source)).toMatchObject({ receipt: { outcomes: { refused: 1 } } });
  // It is there still, and refused again.
  expect(await bench.sync(source)).toMatchObject({ receipt: { read: 1, outcomes: { refused: 1 }, vanished: 0 } });
});
