// What an admin took away holds against syncs, until the admin brings it back: then the next sync goes by the object as it is.
import { describe, expect, it } from 'vitest';
import { prose } from '../../../test/support/documents.ts';
import { useSources } from '../../../test/support/use-sources.ts';

const bench = useSources();
const { api } = bench;
const text = (seed: number) => prose(seed).join('\n\n');

async function documentOf(name: string) {
  const { rows } = await bench.db.admin.query<{ doc_id: string }>(
    `select doc_id from documents where source_uri = $1`,
    [`s3://${bench.bucket.bucket}/${name}/doc.txt`],
  );
  const params = { doc_id: rows[0]?.doc_id ?? '' };
  return {
    change: (what: 'deactivate' | 'reactivate') => api.call(`documents.${what}`, { as: bench.admin, params, body: {} }),
    /** Which contents are served, by the version that was made of them. */
    async served() {
      const versions = await bench.db.admin.query<{ version_no: number }>(
        `select version_no from document_versions where doc_id = $1 and is_active order by 1`,
        [params.doc_id],
      );
      return versions.rows.map(({ version_no: number }) => number);
    },
  };
}

async function refusedAfterChange(name: string) {
  await bench.put(`${name}/doc.txt`, text(1));
  const source = await bench.connect(bench.wish(name));
  await bench.sync(source);
  const document = await documentOf(name);
  expect((await document.change('deactivate')).statusCode).toBe(200);
  await bench.put(`${name}/doc.txt`, text(2));
  const refused = { status: 'partial', receipt: { read: 1, outcomes: { refused: 1 } } };
  expect(await bench.sync(source)).toMatchObject(refused);
  // Nothing has changed, so its bytes are not even read.
  const before = bench.bucket.requests.length;
  expect(await bench.sync(source)).toMatchObject(refused);
  const reads = bench.bucket.requests.slice(before).filter((line) => line.includes(`${name}/doc.txt`));
  expect(reads).toEqual([]);
  expect(await document.served()).toEqual([]);
  return { source, document };
}

describe('an object whose document an admin took away and brought back', () => {
  it('becomes a new version if it changed meanwhile, although it was refused and has not changed since', async () => {
    const { source, document } = await refusedAfterChange('changed');
    expect((await document.change('reactivate')).statusCode).toBe(200);
    expect(await document.served()).toEqual([1]);
    expect(await bench.sync(source)).toMatchObject({
      status: 'synced',
      receipt: { read: 1, outcomes: { changed: 1, refused: 0 } },
    });
    expect(await document.served()).toEqual([2]);
    expect(await bench.objects(source)).toEqual({ 'doc.txt': 'live' });
    expect(await bench.sync(source)).toMatchObject({ status: 'synced', receipt: { outcomes: { unchanged: 1 } } });
  });

  it('is served as it was, and counts as unchanged, if its former content is there again', async () => {
    const { source, document } = await refusedAfterChange('same');
    await document.change('reactivate');
    await bench.put('same/doc.txt', text(1));
    expect(await bench.sync(source)).toMatchObject({
      status: 'synced',
      receipt: { read: 1, outcomes: { unchanged: 1, changed: 0, refused: 0 } },
    });
    expect(await document.served()).toEqual([1]);
    expect(await bench.objects(source)).toEqual({ 'doc.txt': 'live' });
  });
});
