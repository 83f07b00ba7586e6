// The receipt of an upload, counted again: every line from the file, where it went from the tables. Nothing of the run's own counts is
// used. What it needs in memory grows with the number of distinct keys; verifying is rare.
import { hash } from 'node:crypto';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import type { RunFacts } from '../../engine/pipeline.ts';
import type { Receipt } from '../../engine/receipt.ts';
import type { Queryable } from '../../platform/database.ts';
import { openTable, type Table } from '../../tabular/read-table.ts';
import { RowParser } from '../../tabular/validation/row-parser.ts';
import { adsFields } from './fields.ts';
import type { AdsInput } from './input.ts';
import { KeyHasher } from './natural-key.ts';
import { type NormalizedRow, Normalizer } from './normalize.ts';
import type { AdsDeps } from './parse.ts';
import { blobSource } from './reading.ts';
import { replayTable } from '../../tabular/replay-rows.ts';
import { type RecountOutcome, recountMetrics, selectRefusedOffsets } from './sql/recount-metrics.ts';
import { selectUploadReading, type UploadReading } from './sql/upload-readings.ts';

interface Leader {
  readonly row: NormalizedRow;
  readonly offset: number;
  /** Values and segment of every line of the key, to tell a copy from another. */
  readonly said: Set<string>;
  merged: number;
}

const KEYS_PER_QUERY = 2_000;

export async function recountUpload(run: RunFacts<AdsInput>, tx: Queryable, deps: AdsDeps): Promise<Receipt> {
  const upload = await selectUploadReading(tx, run.id);
  const blob = run.blobId === null ? undefined : await findBlob(tx, run.blobId);
  if (upload === undefined || blob === undefined || blob.deleted_at !== null)
    throw new MillraceError('upload_file_gone', { run: run.id });
  const source = blobSource(deps.store, blob);
  const table =
    run.input.replay_of === undefined ? openTable(source, upload.reading) : replayTable(source, upload.reading);
  const file = await countFile(table, upload, run);
  if (run.receipt?.outcomes?.held_back !== undefined) {
    const valid = file.read - file.rejected;
    return { read: file.read, outcomes: { held_back: valid, rejected: file.rejected }, furniture: file.furniture };
  }
  const stored = await countTables(tx, run, [...file.leaders.values()]);
  const add = (name: string, more: number) => {
    if (more > 0) stored[name] = (stored[name] ?? 0) + more;
  };
  add('superseded', file.superseded);
  add('rejected', file.rejected);
  return { read: file.read, outcomes: stored, furniture: file.furniture };
}

async function countFile(table: Table, { reading, mapping }: UploadReading, run: RunFacts<AdsInput>) {
  const parser = new RowParser(reading, mapping.columns, adsFields, mapping.constants);
  const normalizer = new Normalizer(mapping.columns);
  const { client_id, platform } = run.input;
  const keys = new KeyHasher({ workspaceId: run.tenantId, clientId: client_id ?? null, platform });
  const leaders = new Map<string, Leader>();
  const counts = { read: 0, rejected: 0, superseded: 0, furniture: 0, none: 0 };
  for await (const batch of table.batches()) {
    for (let row = 0; row < batch.rowCount; row++) {
      if (batch.kinds[row] !== 0) {
        counts.furniture++;
        continue;
      }
      counts.read++;
      const place = { line: batch.line(row), offset: batch.offset(row) };
      const judged = batch.faults[row] === 0 ? normalizer.judge(parser.parse(batch, row), place).row : null;
      if (judged === null) counts.rejected++;
      else counts[settle(leaders, keys, judged, place.offset, normalizer.isSegmented)]++;
    }
  }
  return { ...counts, leaders };
}

/** Where a valid line goes before the tables are asked. */
function settle(
  leaders: Map<string, Leader>,
  keys: KeyHasher,
  row: NormalizedRow,
  offset: number,
  isSegmented: boolean,
): 'superseded' | 'rejected' | 'none' {
  const key = keys.metric(row.date, idOf(row.campaign), idOf(row.adSet), idOf(row.ad));
  const said = hash('sha256', JSON.stringify([row.measures, row.currency, row.rest]), 'base64');
  const leader = leaders.get(key);
  if (leader === undefined) {
    leaders.set(key, { row, offset, said: new Set([said]), merged: 0 });
    return 'none';
  }
  if (leader.said.has(said)) return 'superseded';
  leader.said.add(said);
  if (!isSegmented || row.currency !== leader.row.currency) return 'rejected';
  leader.merged++;
  return 'none';
}

async function countTables(
  tx: Queryable,
  run: RunFacts<AdsInput>,
  leaders: readonly Leader[],
): Promise<Record<string, number>> {
  const refused = new Set(await selectRefusedOffsets(tx, run.tenantId, run.id));
  const { input } = run;
  const scope = {
    workspaceId: run.tenantId,
    clientId: input.client_id ?? null,
    platform: input.platform,
    runId: run.id,
    reportedAt: input.reported_at,
  };
  const counts: Record<string, number> = {};
  const count = (outcome: RecountOutcome | 'rejected', { merged }: Leader) => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (merged === 0) return;
    // Lines added to a row share its fate where it was not stored.
    const name = outcome === 'stale' || outcome === 'rejected' || outcome === 'lost' ? outcome : 'merged';
    counts[name] = (counts[name] ?? 0) + merged;
  };
  for (const leader of leaders) if (refused.has(leader.offset)) count('rejected', leader);
  const asked = leaders.filter(({ offset }) => !refused.has(offset));
  for (let at = 0; at < asked.length; at += KEYS_PER_QUERY) {
    const some = asked.slice(at, at + KEYS_PER_QUERY);
    const outcomes = await recountMetrics(tx, scope, {
      date: some.map(({ row }) => row.date),
      campaign: some.map(({ row }) => idOf(row.campaign)),
      adSet: some.map(({ row }) => idOf(row.adSet)),
      ad: some.map(({ row }) => idOf(row.ad)),
    });
    some.forEach((leader, i) => {
      count(outcomes[i] ?? 'lost', leader);
    });
  }
  return counts;
}

function idOf(named: { readonly externalId: string } | null): string | null {
  return named?.externalId ?? null;
}
