// An export in a process of its own, so that its memory can be told from the bench's: of a job, or by the bare library from rows made on the spot.
//   items-export.js '{"mode": "job", "url": …, "folder": …, "tenantId": …, "jobId": …}'   prints {"ms", "peakMb", "rows"}
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { writeXlsxStream } from 'hucre/xlsx';
import { writeExport } from '../../src/pipelines/items/export/write-export.ts';
import { selectJob } from '../../src/pipelines/items/sql/jobs.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import { createPool, withTenant } from '../../src/platform/database.ts';

const orders = JSON.parse(process.argv[2] ?? '{}') as {
  mode: 'job' | 'bare';
  url: string;
  folder: string;
  tenantId: string;
  jobId: string;
  rows: number;
  columns: number;
};

let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);
const startedAt = performance.now();
const rows = orders.mode === 'job' ? await exportJob() : await exportBare();
const ms = performance.now() - startedAt;
clearInterval(watch);
peak = Math.max(peak, process.memoryUsage.rss());
process.stdout.write(`${JSON.stringify({ ms, peakMb: peak / 1024 ** 2, rows })}\n`);

async function exportJob(): Promise<number> {
  const { url, folder, tenantId, jobId } = orders;
  const pool = createPool({ url, max: 2, applicationName: 'bench', connectTimeoutMs: 5_000 });
  const store = new DiskBlobStore({ root: folder });
  const job = await withTenant(pool, { tenantId, role: 'millrace_app' }, (db) => selectJob(db, tenantId, jobId));
  if (job === undefined) throw new Error('no job');
  const made = await writeExport({ pool, store }, job, { format: 'xlsx', by: 'bench', createdBy: undefined });
  await pool.end();
  return made.rows;
}

/** The same cells as texts, from memory into a file: what the library alone costs. */
async function exportBare(): Promise<number> {
  const { columns, rows: many } = orders;
  const names = [
    'Row',
    'Status',
    'Reason',
    'n',
    ...Array.from({ length: columns - 1 }, (_, at) => `field ${at + 1}`),
    'N',
  ];
  async function* cells() {
    yield names;
    for (let row = 0; row < many; row += 1)
      yield [
        row + 1,
        'DONE',
        null,
        String(row),
        ...Array.from({ length: columns - 1 }, (_, at) => `value ${(row * 31 + (at + 1) * 7) % 9_973} of ${at + 1}`),
        String(row),
      ];
  }
  const out = createWriteStream(path.join(orders.folder, 'bare.xlsx'));
  const reader = writeXlsxStream(cells(), { name: 'Items', freezePane: { rows: 1 } }).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!out.write(value)) await new Promise<void>((go) => out.once('drain', () => go()));
  }
  await new Promise<void>((go) => out.end(() => go()));
  return many;
}
