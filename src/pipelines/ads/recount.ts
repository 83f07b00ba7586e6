// The receipt of an upload, counted again: every line from the file, where it went and what was stored of it from the tables. Nothing of
// the run's own counts is used. What it needs in memory grows with the number of distinct keys; verifying is rare.
import { hash } from 'node:crypto';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import type { RunFacts } from '../../engine/pipeline.ts';
import type { Content, Receipt } from '../../engine/receipt.ts';
import type { Queryable } from '../../platform/database.ts';
import { blobSource } from '../../tabular/blob-source.ts';
import { ContentCounter, nothingCounted } from '../../tabular/content-counter.ts';
import { openTable, type Table } from '../../tabular/read-table.ts';
import { replayTable } from '../../tabular/replay-rows.ts';
import { RowParser } from '../../tabular/validation/row-parser.ts';
import { DecimalSum } from '../../tabular/values/decimal.ts';
import { ControlTotals, controlMeasures, type Sums } from './control-totals.ts';
import { adsFields, type Measure, measures } from './fields.ts';
import { grainOf } from './grain.ts';
import type { AdsInput } from './input.ts';
import { KeyHasher } from './natural-key.ts';
import { daysOf, measureIndex, type NormalizedRow, Normalizer } from './normalize.ts';
import type { AdsDeps } from './parse.ts';
import { listLinks } from './sql/link-names.ts';
import { type RecountedRow, type RecountOutcome, recountMetrics, selectRefusedOffsets } from './sql/recount-metrics.ts';
import { findUndoOf } from './sql/undone-uploads.ts';
import { selectUploadReading, type UploadReading } from './sql/upload-readings.ts';
import { recountUndo } from './undo.ts';

/** Where a line goes; `asked`: the tables are asked. */
type Fate = 'superseded' | 'rejected' | 'asked';

interface Leader {
  readonly row: NormalizedRow;
  readonly offset: number;
  /** Values and segment of every line of the key, to tell a copy from another. */
  readonly said: Set<string>;
  /** With those of the lines added to it, as the tables hold them. */
  measures: readonly (string | null)[];
  merged: number;
  /** Of the lines added to it; made when there is one. */
  mergedSums: ControlTotals | null;
}

const KEYS_PER_QUERY = 2_000;

export async function recountUpload(run: RunFacts<AdsInput>, tx: Queryable, deps: AdsDeps): Promise<Receipt> {
  if (run.input.undo_of !== undefined) return recountUndo(run, tx, run.input.undo_of);
  const undo = await findUndoOf(tx, run.tenantId, run.id);
  if (undo !== undefined) throw new MillraceError('run_undone', { run: run.id, by: undo });
  const upload = await selectUploadReading(tx, run.id);
  const blob = run.blobId === null ? undefined : await findBlob(tx, run.blobId);
  if (upload === undefined || blob === undefined || blob.deleted_at !== null)
    throw new MillraceError('upload_file_gone', { run: run.id });
  const source = blobSource(deps.store, blob);
  const table =
    run.input.replay_of === undefined ? openTable(source, upload.reading) : replayTable(source, upload.reading);
  const buckets = new Buckets();
  const isHeldBack = run.receipt?.outcomes?.held_back !== undefined;
  const counter = new ContentCounter(nothingCounted, 0, source.size);
  const file = await countFile({ table, counter }, upload, run, (fate, sums) => {
    // What the gate stopped never came to the tables; the file alone says what it was.
    if (isHeldBack && fate !== 'rejected') buckets.add('held_back', 1, sums);
    else if (fate !== 'asked') buckets.add(fate, 1, sums);
  });
  if (!isHeldBack) await countTables(tx, run, grainOf(upload).part, [...file.leaders.values()], buckets);
  return {
    read: file.read,
    outcomes: buckets.outcomes(),
    furniture: file.furniture,
    ...contentOf(counter),
    totals: Object.fromEntries(
      controlMeasures.map((measure) => [measure, { file: file.sums[measure], outcomes: buckets.sumsOf(measure) }]),
    ),
  };
}

function contentOf({ content }: ContentCounter): { readonly content?: Content } {
  return content === undefined ? {} : { content };
}

/** Rows and sums by outcome. */
class Buckets {
  readonly #buckets = new Map<string, { rows: number; readonly sums: ControlTotals }>();

  add(name: string, rows: number, sums: Sums | null): void {
    const bucket = this.#buckets.get(name) ?? { rows: 0, sums: new ControlTotals() };
    bucket.rows += rows;
    if (sums !== null) bucket.sums.addSums(sums);
    this.#buckets.set(name, bucket);
  }

  outcomes(): Record<string, number> {
    return Object.fromEntries([...this.#buckets].map(([name, { rows }]) => [name, rows]));
  }

  sumsOf(measure: (typeof controlMeasures)[number]): Record<string, string> {
    return Object.fromEntries([...this.#buckets].map(([name, { sums }]) => [name, sums.toJSON()[measure]]));
  }
}

async function countFile(
  { table, counter }: { readonly table: Table; readonly counter: ContentCounter },
  { reading, mapping }: UploadReading,
  run: RunFacts<AdsInput>,
  settled: (fate: Fate, sums: Sums | null) => void,
): Promise<{ read: number; furniture: number; sums: Sums; leaders: Map<string, Leader> }> {
  const parser = new RowParser(reading, mapping.columns, adsFields, mapping.constants);
  const normalizer = new Normalizer(mapping.columns, mapping.constants, mapping);
  const { client_id, platform } = run.input;
  const keys = new KeyHasher({ workspaceId: run.tenantId, clientId: client_id ?? null, platform });
  const leaders = new Map<string, Leader>();
  const sums = new ControlTotals();
  let read = 0;
  let furniture = 0;
  for await (const batch of table.batches()) {
    counter.add(batch);
    for (let row = 0; row < batch.rowCount; row++) {
      if (batch.kinds[row] !== 0) {
        furniture++;
        continue;
      }
      read++;
      if (batch.faults[row] !== 0) {
        settled('rejected', null);
        continue;
      }
      const place = { line: batch.line(row), offset: batch.offset(row) };
      const judged = normalizer.judge(parser.parse(batch, row), place);
      sums.addRow(judged.measures);
      const fate: Fate =
        judged.row === null ? 'rejected' : settle(leaders, keys, judged.row, place.offset, normalizer.isSegmented);
      settled(fate, sumsOf(judged.measures));
    }
  }
  return { read, furniture, sums: sums.toJSON(), leaders };
}

/** Where a valid line goes before the tables are asked. */
function settle(
  leaders: Map<string, Leader>,
  keys: KeyHasher,
  row: NormalizedRow,
  offset: number,
  isSegmented: boolean,
): Fate {
  const key = keys.metric(daysOf(row), idOf(row.campaign), idOf(row.adSet), idOf(row.ad));
  const said = hash('sha256', JSON.stringify([row.measures, row.currency, row.rest]), 'base64');
  const leader = leaders.get(key);
  if (leader === undefined) {
    leaders.set(key, { row, offset, said: new Set([said]), measures: row.measures, merged: 0, mergedSums: null });
    return 'asked';
  }
  if (leader.said.has(said)) return 'superseded';
  leader.said.add(said);
  if (!isSegmented || row.currency !== leader.row.currency) return 'rejected';
  leader.measures = measures.map((measure, i) =>
    together(measure, leader.measures[i] ?? null, row.measures[i] ?? null),
  );
  leader.merged++;
  leader.mergedSums ??= new ControlTotals();
  leader.mergedSums.addRow(row.measures);
  return 'asked';
}

/** People reached twice are one person, so what was reached cannot be added up. */
function together(measure: Measure, one: string | null, other: string | null): string | null {
  if (measure === 'reach') return null;
  if (one === null || other === null) return one ?? other;
  const sum = new DecimalSum();
  sum.add(one);
  sum.add(other);
  return sum.toString();
}

async function countTables(
  tx: Queryable,
  run: RunFacts<AdsInput>,
  part: string | null,
  leaders: readonly Leader[],
  buckets: Buckets,
): Promise<void> {
  const refused = new Set(await selectRefusedOffsets(tx, run.tenantId, run.id));
  const { input } = run;
  const scope = {
    workspaceId: run.tenantId,
    clientId: input.client_id ?? null,
    platform: input.platform,
    runId: run.id,
    part,
  };
  const linked = linkedIds(await listLinks(tx, scope));
  for (const leader of leaders) if (refused.has(leader.offset)) count(buckets, leader, 'rejected', null);
  const asked = leaders.filter(({ offset }) => !refused.has(offset));
  for (let at = 0; at < asked.length; at += KEYS_PER_QUERY) {
    const some = asked.slice(at, at + KEYS_PER_QUERY);
    const found = await recountMetrics(tx, scope, {
      date: some.map(({ row }) => row.date),
      periodEnd: some.map(({ row }) => row.rest?.period_end ?? null),
      campaign: some.map(({ row }) => linked('campaign', idOf(row.campaign))),
      adSet: some.map(({ row }) => linked('ad_set', idOf(row.adSet))),
      ad: some.map(({ row }) => linked('ad', idOf(row.ad))),
      currency: some.map(({ row }) => row.currency),
      timeZone: some.map(({ row }) => row.rest?.account_time_zone ?? null),
      measures: measures.map((_, i) => some.map((leader) => leader.measures[i] ?? null)),
    });
    some.forEach((leader, i) => {
      const { outcome = 'lost', stored = null } = found[i] ?? {};
      count(buckets, leader, outcome, stored);
    });
  }
}

/** Ids made of names lead to what they turned out to be. */
function linkedIds(links: Awaited<ReturnType<typeof listLinks>>) {
  const known = new Map(links.map(({ entity, made_id, external_id }) => [`${entity} ${made_id}`, external_id]));
  return (entity: string, id: string | null) => (id === null ? null : (known.get(`${entity} ${id}`) ?? id));
}

/** The line itself, and the lines that were added to it: they share its fate where it was not stored. */
function count(
  buckets: Buckets,
  { row, merged, mergedSums }: Leader,
  outcome: RecountOutcome | 'rejected',
  stored: RecountedRow['stored'],
): void {
  const added = mergedSums?.toJSON() ?? null;
  // The tables hold the line and what was added to it in one number.
  buckets.add(outcome, 1, stored ?? sumsOf(row.measures));
  if (stored !== null && added !== null) buckets.add(outcome, 0, negated(added));
  if (merged === 0) return;
  const isKept = outcome !== 'stale' && outcome !== 'rejected' && outcome !== 'lost';
  buckets.add(isKept ? 'merged' : outcome, merged, added);
}

function sumsOf(measures: readonly (string | null)[]): Sums {
  const of = (measure: (typeof controlMeasures)[number]) => measures[measureIndex(measure)] ?? '0';
  return { spend: of('spend'), impressions: of('impressions'), clicks: of('clicks') };
}

function negated({ spend, impressions, clicks }: Sums): Sums {
  const flip = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);
  return { spend: flip(spend), impressions: flip(impressions), clicks: flip(clicks) };
}

function idOf(named: { readonly externalId: string } | null): string | null {
  return named?.externalId ?? null;
}
