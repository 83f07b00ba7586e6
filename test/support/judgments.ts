// A judgments pipeline on a test database: a blob store in a temporary folder, batches from text, and what was stored. Before it closes
// it imports the canaries (canary-people.ts); whatever it says is heard, and it fails when anything of them was said.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recordBlob } from '../../src/engine/blobs/blobs.ts';
import { storeFile } from '../../src/engine/blobs/store-file.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { RunRow } from '../../src/engine/reads/run-columns.ts';
import type { JudgmentsDeps } from '../../src/pipelines/judgments/import.ts';
import type { JudgmentsInput } from '../../src/pipelines/judgments/input.ts';
import { judgmentsPipeline } from '../../src/pipelines/judgments/judgments.pipeline.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import type { Queryable } from '../../src/platform/database.ts';
import { canaryRows, findCanaries } from './canary-people.ts';
import { buildEngine, type EngineOptionsForTest, endOfRun, newTenant } from './engine.ts';
import { addFeed, allHeard, hear, noteFed, startListening } from './heard.ts';
import { heardLog, wordsOfLedger } from './judgments-canaries.ts';

export const judgmentsHeader = 'Case Number,Plaintiff,Defendant,Judgment Amount,Filing Date,County,Email,Phone,Address';

export function judgmentsFile(...rows: string[]): string {
  return `${[judgmentsHeader, ...rows].join('\n')}\n`;
}

let batches = 0;

export interface JudgmentsBench {
  readonly engine: Engine;
  readonly store: DiskBlobStore;
  submit(tenantId: string, bytes: string, input?: Partial<JudgmentsInput>): Promise<string>;
  /** The same, and waits for its end. */
  ingest(tenantId: string, bytes: string, input?: Partial<JudgmentsInput>): Promise<RunRow>;
  ended(tenantId: string, runId: string): Promise<RunRow>;
  close(): Promise<void>;
}

export async function openJudgmentsBench(
  url: string,
  options: EngineOptionsForTest & { readonly deps?: Partial<JudgmentsDeps>; readonly folder?: string } = {},
): Promise<JudgmentsBench> {
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), 'millrace-judgments-'));
  const store = new DiskBlobStore({ root: folder });
  startListening();
  const built = await buildEngine(url, [judgmentsPipeline({ store, ...options.deps })], {
    ...options,
    log: heardLog(options.log),
  });
  let isStarted = false;
  const engine = {
    ...built,
    start: (...args: Parameters<Engine['start']>) => {
      isStarted = true;
      return built.start(...args);
    },
  };
  let isFed = false;
  /** A bench that was never started takes them in and leaves them lying. */
  const feed = async (tenantId = newTenant()) => {
    if (isFed) return;
    isFed = true;
    const runId = await bench.submit(tenantId, judgmentsFile(...canaryRows));
    noteFed();
    if (isStarted) await bench.ended(tenantId, runId);
  };
  addFeed(feed);
  const bench: JudgmentsBench = {
    engine,
    store,
    async submit(tenantId, bytes, input = {}) {
      const batch = input.source_batch_id ?? `batch-${++batches}`;
      const file = await storeFile(store, {
        tenantId,
        fileName: 'judgments.csv',
        body: one(Buffer.from(bytes)),
        maxBytes: 1024 ** 3,
        sniff: () => ({ format: 'csv', mediaType: 'text/csv' }),
      });
      await recordBlob(engine.pools.control, file);
      const { id } = await engine.enqueue({
        pipeline: 'judgments',
        tenantId,
        blobId: file.blobId,
        uniqueKey: batch,
        input: {
          filename: 'judgments.csv',
          file_hash: file.sha256.toString('hex'),
          ...input,
          source_batch_id: batch,
        } satisfies JudgmentsInput,
      });
      return id;
    },
    async ingest(tenantId, bytes, input) {
      return bench.ended(tenantId, await bench.submit(tenantId, bytes, input));
    },
    ended: (tenantId, runId) => endOfRun(engine, tenantId, runId),
    async close() {
      await feed();
      hear(await wordsOfLedger(engine));
      const found = findCanaries(allHeard());
      await engine.close();
      await store.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
      if (found.length > 0) throw new Error(`people stand where nobody may: ${found.join(', ')}`);
    },
  };
  return bench;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export interface StoredCase {
  readonly case_number: string;
  readonly county: string | null;
  readonly plaintiff_name: string | null;
  readonly defendant_name: string | null;
  readonly judgment_amount: string | null;
  readonly filing_date: string | null;
  readonly dedupe_key: string | null;
  readonly line: number;
}

export async function casesOf(admin: Queryable, tenantId: string): Promise<StoredCase[]> {
  const { rows } = await admin.query<StoredCase>(
    `select j.case_number, j.county, j.plaintiff_name, j.defendant_name, j.judgment_amount, j.filing_date::text as filing_date,
            p.dedupe_key, j.line
     from judgments j left join plaintiffs p on p.tenant_id = j.tenant_id and p.id = j.plaintiff_id
     where j.tenant_id = $1 order by j.case_number, j.county nulls first`,
    [tenantId],
  );
  return rows;
}

export interface StoredPlaintiff {
  readonly id: number;
  readonly dedupe_key: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

export async function plaintiffsOf(admin: Queryable, tenantId: string): Promise<StoredPlaintiff[]> {
  const { rows } = await admin.query<StoredPlaintiff>(
    `select id, dedupe_key, name, email, phone from plaintiffs where tenant_id = $1 order by id`,
    [tenantId],
  );
  return rows;
}

export async function rejectsOf(
  admin: Queryable,
  runId: string,
): Promise<{ line: number; code: string; column_name: string | null }[]> {
  const { rows } = await admin.query<{ line: number; code: string; column_name: string | null }>(
    `select line, code, column_name from engine.rejects where run_id = $1 order by line`,
    [runId],
  );
  return rows;
}
