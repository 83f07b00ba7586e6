// A document from upload to what is served, over HTTP.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildUser } from '../../../test/support/api.ts';
import { buildPdf, prose, useDocuments } from '../../../test/support/documents.ts';
import type { DocumentDetail } from './http/document-view.ts';

const bench = useDocuments();
const { api, db } = bench;

const show = async (docId: string): Promise<DocumentDetail> =>
  (await api.call('documents.show', { as: bench.admin, params: { doc_id: docId } })).json();

describe('a PDF', () => {
  it('becomes a version that is served, with every page accounted for and a receipt that adds up', async () => {
    const bytes = await buildPdf([
      { heading: 'Retention of records', lines: prose(1) },
      {
        lines: prose(2),
        table: [
          ['Record', 'Years'],
          ['Contracts', '10'],
          ['Payroll', '7'],
        ],
      },
      {},
    ]);
    const answer = await bench.upload(bytes, 'policy.pdf', { fields: { title: 'Records policy', tags: 'legal, hr' } });
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ status: 'queued' });
    const run = await bench.ended(answer.body.run_id ?? '');
    expect(run).toMatchObject({ status: 'succeeded', error_code: null });
    expect(run.receipt).toMatchObject({ read: 3, outcomes: { text: 2, empty: 1 }, docs_processed: 1 });
    const { passages, embedded, reused } = run.receipt as unknown as Record<string, number>;
    expect(passages).toBe((embedded ?? 0) + (reused ?? 0));

    const document = await show(answer.body.doc_id);
    expect(document).toMatchObject({
      title: 'Records policy',
      tags: ['legal', 'hr'],
      status: 'active',
      version_label: 'v1',
      pages: 3,
    });
    expect(document.versions[0]).toMatchObject({ unit: 'page', text_pages: 2, empty_pages: 1, language: 'english' });
    const page = await api.call('documents.page', {
      as: bench.admin,
      params: { doc_id: document.doc_id, version: '1', page_no: '1' },
    });
    expect(page.json().text).toContain('staff keep record 103');
    expect(page.json().blocks[0]).toMatchObject({ kind: 'heading', text: 'Retention of records' });
    expect(page.json().chunks[0].boxes[0]).toMatchObject({ page: 1, x: expect.any(Number), w: expect.any(Number) });
    const verified = await api.call('runs.verify', { as: bench.admin, params: { run_id: run.id }, body: {} });
    expect(verified.json()).toMatchObject({ matches: true, differences: [] });
  });

  it('is verified in every figure: a page, chunk or passage that is not there any more is named', async () => {
    const { docId, run } = await bench.ingest(await buildPdf([{ lines: prose(3) }, { lines: prose(4) }]), 'lost.pdf');
    const verify = async () =>
      (await api.call('runs.verify', { as: bench.admin, params: { run_id: run.id }, body: {} })).json().differences;
    expect(await verify()).toEqual([]);
    const figure = (name: string) => Number(run.receipt?.[name]);
    const { rows } = await db.admin.query<{ tokens: number; passages: number }>(
      `with gone as (delete from chunks where doc_id = $1 and chunk_no = 0 returning chunk_id, token_count)
       select token_count as tokens, (select count(*)::int from chunk_passages p where p.chunk_id = gone.chunk_id) as passages from gone`,
      [docId],
    );
    const { tokens = 0, passages = 0 } = rows[0] ?? {};
    expect(passages).toBeGreaterThan(0);
    await db.admin.query(
      `delete from document_pages where page_no = 2 and doc_version_id = (select doc_version_id from document_versions where doc_id = $1)`,
      [docId],
    );
    const less = (name: string, by: number) => `${name}: receipt ${figure(name)}, recount ${figure(name) - by}`;
    expect(await verify()).toEqual([
      'text: receipt 2, recount 1',
      less('chunks_created', 1),
      less('tokens_total', tokens),
      less('passages', passages),
      less('embedded', passages),
    ]);
  });

  it('is skipped when exactly these bytes are served, and nothing is written', async () => {
    const bytes = await buildPdf([{ lines: prose(7) }]);
    const { docId } = await bench.ingest(bytes, 'once.pdf');
    const before = await bench.count('engine.runs');
    const again = await bench.upload(bytes, 'other-name.pdf');
    expect(again).toMatchObject({
      status: 200,
      body: { doc_id: docId, status: 'skipped', reason: 'already ingested, no changes' },
    });
    expect(await bench.count('engine.runs')).toBe(before);
    expect((await show(docId)).title).toBe('once.pdf');
  });

  it('is skipped without its file: neither bytes nor a row of them stay', async () => {
    const bytes = await buildPdf([{ lines: prose(8) }]);
    await bench.ingest(bytes, 'kept once.pdf');
    const { root } = bench.deps.store as unknown as { root: string };
    const files = () => readdirSync(path.join(root, bench.admin.tenantId)).sort();
    const [stored, rows] = [files(), await bench.count('engine.blobs', 'deleted_at is null')];
    expect((await bench.upload(bytes, 'kept once.pdf')).body.status).toBe('skipped');
    expect([files(), await bench.count('engine.blobs', 'deleted_at is null')]).toEqual([stored, rows]);
  });

  it('gets the title and the tags that are given with bytes that are served already, and the answer says so', async () => {
    const bytes = await buildPdf([{ lines: prose(9) }]);
    const { docId } = await bench.ingest(bytes, 'titled.pdf', { fields: { tags: 'old' } });
    const again = (fields: Record<string, string>) => bench.upload(bytes, 'titled.pdf', { fields });
    expect(await again({ title: 'Its real title', tags: 'new,old' })).toMatchObject({
      status: 200,
      body: { status: 'skipped', reason: 'already ingested, no changes', updated: ['title', 'tags'] },
    });
    expect(await show(docId)).toMatchObject({ title: 'Its real title', tags: ['new', 'old'], version_label: 'v1' });
    expect((await again({ title: 'Its real title' })).body).not.toHaveProperty('updated');
    expect((await again({ tags: '' })).body).toMatchObject({ updated: ['tags'] });
    expect(await show(docId)).toMatchObject({ title: 'Its real title', tags: [], versions: [{ version: 1 }] });
  });

  it('costs no embedding where another document has said the same', async () => {
    const first = await bench.ingest(await buildPdf([{ lines: prose(21) }, { lines: prose(22) }]), 'a.pdf', {
      fields: { title: 'T' },
    });
    const second = await bench.ingest(await buildPdf([{ lines: prose(21) }, { lines: prose(23) }]), 'b.pdf', {
      fields: { title: 'T' },
    });
    expect(first.run.receipt).toMatchObject({ reused: 0 });
    expect(Number(second.run.receipt?.reused)).toBeGreaterThan(0);
    expect(Number(second.run.receipt?.embedded)).toBeGreaterThan(0);
  });

  it('can be shown page by page as an image, downloaded, and exported as Markdown', async () => {
    const bytes = await buildPdf([{ heading: 'Only *one* page', lines: prose(31) }]);
    const { docId } = await bench.ingest(bytes, 'one.pdf');
    const params = { doc_id: docId, version: '1', page_no: '1' };
    const image = await api.call('documents.page-image', { as: bench.admin, params, query: { dpi: '50' } });
    expect(image.headers['content-type']).toBe('image/png');
    expect(image.rawPayload.subarray(1, 4).toString()).toBe('PNG');
    const original = await api.call('documents.original', { as: bench.admin, params });
    expect(Buffer.compare(original.rawPayload, Buffer.from(bytes))).toBe(0);
    const markdown = await api.call('documents.markdown', { as: bench.admin, params });
    expect(markdown.body).toContain('## Only \\*one\\* page');
    expect(markdown.body).toContain('record 3103');
  });
});

describe('what is not served', () => {
  it('a deactivated document leaves the search tables, stays for the admin, and is not revived by a user who uploads it', async () => {
    const bytes = await buildPdf([{ lines: prose(41) }]);
    const { docId } = await bench.ingest(bytes, 'gone.pdf');
    const [version] = (await show(docId)).versions;
    const own = `doc_version_id = '${version?.doc_version_id}'`;
    expect(await bench.count('chunk_embeddings', own)).toBeGreaterThan(0);
    expect(await bench.count('chunk_terms', own)).toBeGreaterThan(0);
    const answer = await api.call('documents.deactivate', { as: bench.admin, params: { doc_id: docId }, body: {} });
    expect(answer.json()).toMatchObject({ status: 'inactive' });
    expect(await bench.count('chunk_embeddings', own)).toBe(0);
    expect(await bench.count('chunk_terms', own)).toBe(0);
    expect(await bench.count('chunks', own)).toBeGreaterThan(0);
    const user = await buildUser(db, bench.admin.tenantId, 'user');
    expect(await bench.upload(bytes, 'gone.pdf', { as: user })).toMatchObject({
      status: 409,
      body: { code: 'document_deactivated' },
    });
    const listed = await api.call('documents.list', { as: bench.admin, query: { limit: '100' } });
    expect(listed.json().data.map((each: { doc_id: string }) => each.doc_id)).not.toContain(docId);

    const served = await api.call('documents.reactivate', { as: bench.admin, params: { doc_id: docId }, body: {} });
    expect(served.json()).toMatchObject({ status: 'active' });
    expect(await bench.count('chunk_embeddings', own)).toBeGreaterThan(0);
    expect(await bench.count('chunk_terms', own)).toBeGreaterThan(0);
    expect(await bench.upload(bytes, 'gone.pdf', { as: user })).toMatchObject({ status: 200 });
  });

  it('only admins may deactivate, reactivate, purge and see orphans', async () => {
    const user = await buildUser(db, bench.admin.tenantId, 'user');
    const { docId } = await bench.ingest(await buildPdf([{ lines: prose(45) }]), 'kept.pdf');
    const params = { doc_id: docId };
    for (const operation of ['documents.deactivate', 'documents.reactivate', 'documents.purge'] as const)
      expect(
        (await api.call(operation, { as: user, params, ...(operation === 'documents.purge' ? {} : { body: {} }) }))
          .statusCode,
      ).toBe(403);
    expect((await api.call('documents.orphans', { as: user })).statusCode).toBe(403);
    expect((await api.call('documents.show', { as: user, params })).statusCode).toBe(200);
  });

  it('a purged document is erased with its vectors and bytes; its tombstone refuses the file', async () => {
    const bytes = await buildPdf([{ lines: prose(51) }]);
    const { docId, run } = await bench.ingest(bytes, 'erase.pdf');
    const answer = await api.call('documents.purge', { as: bench.admin, params: { doc_id: docId } });
    expect(answer.json()).toMatchObject({ versions: 1, pages: 1, files: 1 });
    expect((await api.call('documents.show', { as: bench.admin, params: { doc_id: docId } })).statusCode).toBe(404);
    for (const table of ['document_versions', 'chunks'])
      expect(await bench.count(table, `doc_id = '${docId}'`)).toBe(0);
    expect(await bench.count('engine.blobs', `blob_id = '${run.blob_id}' and deleted_at is null`)).toBe(0);
    expect(await bench.count('document_tombstones', `doc_id = '${docId}' and kind = 'purged'`)).toBe(1);
    const user = await buildUser(db, bench.admin.tenantId, 'user');
    expect(await bench.upload(bytes, 'erase.pdf', { as: user })).toMatchObject({
      status: 409,
      body: { code: 'document_purged' },
    });
  });
});

describe('pages and titles', () => {
  it('a page that is left out makes a new version without its text, and the old one stays to be read', async () => {
    const { docId } = await bench.ingest(await buildPdf([{ lines: prose(61) }, { lines: prose(62) }]), 'two.pdf');
    const asked = await api.call('documents.page-retry', {
      as: bench.admin,
      params: { doc_id: docId, version: '1', page_no: '2' },
      body: { how: 'exclude' },
    });
    expect(asked.statusCode).toBe(202);
    const run = await bench.ended(asked.json().run_id);
    expect(run.receipt).toMatchObject({ read: 2, outcomes: { text: 1, rejected: 1 } });
    const document = await show(docId);
    expect(document).toMatchObject({ version_label: 'v2', status: 'active' });
    expect(document.versions.map(({ is_active: isActive }) => isActive)).toEqual([true, false]);
    const page = await api.call('documents.page', {
      as: bench.admin,
      params: { doc_id: docId, version: '2', page_no: '2' },
    });
    expect(page.json()).toMatchObject({ fate: 'rejected', reason: 'left out by a person', text: '' });
    const old = await api.call('documents.page', {
      as: bench.admin,
      params: { doc_id: docId, version: '1', page_no: '2' },
    });
    expect(old.json().text).toContain('record 6200');
    const changes = async (version: string) =>
      (await api.call('documents.changes', { as: bench.admin, params: { doc_id: docId, version } })).json();
    expect(await changes('1')).toEqual({ data: [], next: null, against: null });
    const changed = await changes('2');
    expect(changed.against).toBe('v1');
    expect(changed.data.map(({ change }: { change: string }) => change)).toContain('removed');
    const removed = changed.data.find(({ change }: { change: string }) => change === 'removed');
    expect(removed.text).toContain('record 6200');
    expect(document.versions[0]?.changes?.removed).toBeGreaterThan(0);
  });

  it('a fix that is asked for while another one waits holds both', async () => {
    const bytes = await buildPdf([{ lines: prose(63) }, { lines: prose(64) }, { lines: prose(65) }]);
    const { docId } = await bench.ingest(bytes, 'three.pdf');
    const exclude = async (pageNo: string) =>
      (
        await api.call('documents.page-retry', {
          as: bench.admin,
          params: { doc_id: docId, version: '1', page_no: pageNo },
          body: { how: 'exclude' },
        })
      ).json().run_id;
    await bench.engine.pause('documents', 'test');
    const runs = [await exclude('1'), await exclude('3')];
    await bench.engine.unpause('documents');
    for (const run of runs) await bench.ended(run);
    // Whichever of the two made its version first: the later wish is served.
    const served = (await show(docId)).versions.filter(({ is_active: isActive }) => isActive);
    expect(served).toMatchObject([{ text_pages: 1, rejected_pages: 2 }]);
  });

  it('a title is cleaned of control characters, and can be changed', async () => {
    const { docId } = await bench.ingest(await buildPdf([{ lines: prose(71) }]), 'x.pdf', {
      fields: { title: 'A\u0007B\u202Egnp.exe' },
    });
    expect((await show(docId)).title).toBe('ABgnp.exe');
    const changed = await api.call('documents.update', {
      as: bench.admin,
      params: { doc_id: docId },
      body: { title: 'Named' },
    });
    expect(changed.json()).toMatchObject({ title: 'Named' });
    const found = await api.call('documents.list', { as: bench.admin, query: { search: 'nAME' } });
    expect(found.json().data).toHaveLength(1);
  });
});
