// A document whose worker is killed in any part ends as an undisturbed one: every page once, one version, the receipt whole.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant } from '../../../test/support/api.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { buildPdf, prose } from '../../../test/support/documents.ts';
import { documentsDeps } from '../../../test/support/documents-deps.ts';
import { buildEngine } from '../../../test/support/engine.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { recordBlob } from '../../engine/blobs/blobs.ts';
import { storeFile } from '../../engine/blobs/store-file.ts';
import type { Engine } from '../../engine/engine.ts';
import { silentLog } from '../../platform/log.ts';
import { acceptDocument } from './accept-document.ts';
import { sniffDocument } from './document-file.ts';
import { documentsPipeline } from './documents.pipeline.ts';

const database = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-documents-crash-'));
const program = compiledProgram('test/support/documents-worker.ts');
const parts = { pagesPerPart: 2, passagesPerPart: 3 };
const deps = documentsDeps(folder, parts);
let engine: Engine & { close(): Promise<void> };

beforeAll(async () => {
  engine = await buildEngine(database.appUrl, [documentsPipeline(deps)]);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

async function submit(bytes: Uint8Array) {
  const tenantId = await buildTenant(database, `Tenant ${Math.random()}`);
  const file = await storeFile(deps.store, {
    tenantId,
    fileName: 'manual.pdf',
    body: (async function* () {
      yield bytes;
    })(),
    maxBytes: 1024 ** 3,
    sniff: sniffDocument,
  });
  await recordBlob(engine.pools.control, file);
  const { runId, docId } = await acceptDocument(
    { engine, log: silentLog },
    { tenantId, file, by: { name: 'test', isAdmin: false } },
  );
  return { tenantId, runId, docId };
}

async function workUntilKilled(failpoint: string): Promise<void> {
  const child = fork(program, [JSON.stringify({ url: database.appUrl, folder, deps: parts, failpoint })], {
    execArgv: [],
    stdio: 'ignore',
  });
  // Never reached: then the test must say so instead of waiting for ever.
  const late = setTimeout(() => child.kill('SIGTERM'), 540_000);
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(late);
  expect([failpoint, signal]).toEqual([failpoint, 'SIGKILL']);
}

async function outcomeOf({ tenantId, runId, docId }: Awaited<ReturnType<typeof submit>>) {
  const run = await waitFor(async () => {
    const found = await engine.run(tenantId, runId);
    return found.finished_at === null ? undefined : found;
  });
  const { rows } = await database.admin.query(
    `select (select jsonb_agg(jsonb_build_array(v.version_no, v.is_active, v.grade)) from document_versions v where v.doc_id = $1) as versions,
            (select jsonb_agg(md5(p.text) order by p.page_no) from document_pages p where p.tenant_id = $2) as pages,
            (select jsonb_agg(md5(c.text) order by c.chunk_no) from chunks c where c.doc_id = $1) as chunks,
            (select count(*) from chunk_embeddings e where e.tenant_id = $2) as vectors,
            (select count(*) from vector_ledger l where l.tenant_id = $2) as ledger,
            (select md5(string_agg(t.term || t.counts::text, ',' order by t.term)) from chunk_terms t where t.tenant_id = $2) as terms`,
    [docId, tenantId],
  );
  return { status: run.status, receipt: run.receipt, ...rows[0] };
}

describe('a document whose worker is killed', () => {
  it('goes on at its last part and ends as an undisturbed one does, wherever the kill struck', async () => {
    const bytes = await buildPdf(
      Array.from({ length: 7 }, (_, at) => ({ heading: `Part ${at}`, lines: prose(at + 1, 14) })),
    );
    const points = [
      'commit.after_effects:2',
      'commit.after_commit:3',
      'commit.after_checkpoint:5',
      'commit.after_commit:6',
      'commit.after_commit:9',
      'commit.after_effects:12',
      'commit.after_commit:15',
      'finish.before_commit',
    ];
    const killed: Awaited<ReturnType<typeof submit>>[] = [];
    for (const failpoint of points) {
      killed.push(await submit(bytes));
      await workUntilKilled(failpoint);
    }
    const undisturbed = await submit(bytes);
    await engine.start();
    const expected = await outcomeOf(undisturbed);
    expect(expected).toMatchObject({ status: 'succeeded', versions: [[1, true, 'A']] });
    expect(expected.vectors).toBe(expected.ledger);
    for (const [index, document] of killed.entries()) {
      expect([points[index], await outcomeOf(document)]).toEqual([points[index], expected]);
      const { rows } = await database.admin.query('select outcome from engine.attempts where run_id = $1', [
        document.runId,
      ]);
      expect(rows.map(({ outcome }) => outcome)).toContain('lost');
    }
  });
});
