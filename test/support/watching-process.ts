// A process that watches one folder and makes a run of each file: watching-process.ts '{"folder", "root", "url", "tenantId", "failpoint"?}'
// Prints a line per look; ends when it is told to on its standard input, or dies at the failpoint it is given.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { createPool } from '../../src/platform/database.ts';
import { armFromText } from '../../src/platform/failpoints.ts';
import { silentLog } from '../../src/platform/log.ts';
import { collectOnce } from '../../src/sources/collect.ts';
import { FolderSource } from '../../src/sources/folder/folder-source.ts';
import { type Accepted, acceptFile, type IntakeRequest } from '../../src/sources/intake.ts';

interface Orders {
  readonly folder: string;
  readonly root: string;
  readonly url: string;
  readonly tenantId: string;
  readonly failpoint?: string;
}

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;
if (orders.failpoint !== undefined) armFromText(orders.failpoint);
const pool = createPool({
  url: orders.url,
  role: 'millrace_engine',
  max: 2,
  applicationName: 'watching-process',
  connectTimeoutMs: 60_000,
});
const stop = new AbortController();
const store = new DiskBlobStore({ root: orders.root });

async function accept({ file, uniqueKey, tenantId }: IntakeRequest<unknown>): Promise<Accepted> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into engine.runs (id, tenant_id, pipeline, status, phase, lane, input, blob_id, unique_key)
     values ($1, $2, 'test', 'waiting', 'waiting', '', '{}', $3, $4) on conflict do nothing returning id`,
    [randomUUID(), tenantId, file.blobId, uniqueKey],
  );
  const created = rows[0]?.id;
  if (created !== undefined) return { runId: created, status: 'waiting', created: true };
  const existing = await pool.query<{ id: string }>('select id from engine.runs where unique_key = $1', [uniqueKey]);
  return { runId: existing.rows[0]?.id ?? '', status: 'waiting', created: false };
}
process.stdin.on('end', () => stop.abort()).resume();

while (!stop.signal.aborted) {
  const counts = await collectOnce(
    {
      source: new FolderSource({ name: 'inbox', folder: orders.folder, stillMs: 0, claimLostMs: 300 }),
      tenantId: orders.tenantId,
      store,
      maxBytes: 1_000_000,
      sniff: () => ({ format: 'csv', mediaType: 'text/csv' }),
      log: silentLog,
      deliver: async (delivery) => {
        const given = { ...delivery, fields: {}, at: delivery.modifiedAt };
        return (await acceptFile({ store, pool, control: pool }, { fields: z.object({}), accept }, given)).answer;
      },
    },
    stop.signal,
  );
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}
await pool.end();
