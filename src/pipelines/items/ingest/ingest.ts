// The first stage of a job: its file becomes rows in the database. The reading is decided and stored first; every batch of rows is committed with
// the place behind it. Batches grow from few rows, so that the first are visible at once, within the bounds of the settings.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { AdaptiveSize } from '../../../engine/adaptive.ts';
import type { StageOutcome } from '../../../engine/pipeline.ts';
import type { StageContext } from '../../../engine/stage-context.ts';
import { failpoint } from '../../../platform/failpoints.ts';
import type { ByteSource } from '../../../tabular/byte-source.ts';
import {
  type DoubtsOnReceipt,
  noteDoubts,
  refusal,
  type SaidOfDoubts,
  saidOfDoubts,
  stopForDoubts,
  unsettled,
  unsettledLate,
  withAnswers,
  withoutDisproved,
} from '../../../tabular/doubt-question.ts';
import { selectMapping } from '../../../tabular/mapping/sql/select-mapping.ts';
import { openRunFile } from '../../../tabular/open-run-file.ts';
import { openTable } from '../../../tabular/read-table.ts';
import type { ReadingDoubt } from '../../../tabular/reading.ts';
import { doubtsOfFindings, nothingFound } from '../../../tabular/set-aside-watch.ts';
import type { ItemsDeps } from '../deps.ts';
import { columnNames } from '../fields.ts';
import type { ItemsInput } from '../input.ts';
import { countIngested } from '../metrics.ts';
import { decideMapping, type JobReading, readAsSaved, rowLimits } from '../reading.ts';
import {
  type Inserted,
  type ItemsTarget,
  insertNothing,
  insertOddItems,
  insertPackedItems,
  listFingerprints,
  nothingOdd,
} from '../sql/insert-items.ts';
import { finishIngest, type IngestRow, selectIngest, setLatestRun, storeIngest, storeReading } from '../sql/jobs.ts';
import { fingerprintWay } from './fingerprint.ts';
import { holdJob } from './hold-job.ts';
import { storeImages } from './ingest-images.ts';
import { freshIngest, type IngestState } from './ingest-state.ts';
import { ItemRows, type TakenRows } from './item-rows.ts';
import { SeenRows } from './seen-rows.ts';

type Context = StageContext<ItemsInput>;

export async function ingestJob(context: Context, deps: ItemsDeps): Promise<StageOutcome> {
  const { run, input } = context;
  const job = await context.commit(async (tx) => {
    await setLatestRun(tx, input.job_id, run.id);
    return selectIngest(tx, input.job_id);
  });
  if (job === undefined) throw new MillraceError('job_not_found', { job: input.job_id });
  if (job.ingested_at !== null && job.total_items > 0) return passOn(job.total_items, deps);
  const said = saidOfDoubts(await context.answers());
  if (said.isRefused) return refusal();
  let noted: DoubtsOnReceipt = {};
  if (job.job_type === 'image')
    await storeImages(context, await openRunFile(context, deps), job, deps.settings.ingestMaxRows);
  else {
    const { stop, doubts } = await readFile(context, job, said, deps);
    if (stop !== null) return stop;
    noted = noteDoubts(doubts);
  }
  const total = await context.commit(async (tx) => {
    const { total_items: stored = 0 } = (await selectIngest(tx, input.job_id)) ?? {};
    // A file without rows is not read to its end: read otherwise, it may have some.
    if (stored > 0) await finishIngest(tx, input.job_id, noted);
    return stored;
  });
  if (total === 0) throw new MillraceError('empty_file');
  return passOn(total, deps);
}

function passOn(total: number, { settings }: ItemsDeps): StageOutcome {
  return { on: total >= settings.itemSharedFrom ? 'share' : 'pass' };
}

/** Without a stop every row is stored, and nothing that is in doubt holds the job. */
async function readFile(
  context: Context,
  job: IngestRow,
  said: SaidOfDoubts,
  deps: ItemsDeps,
): Promise<{ stop: StageOutcome | null; doubts: readonly ReadingDoubt[] }> {
  const { input } = context;
  const source = await openRunFile(context, deps);
  const opened = source.size < SEVERAL_PIECES ? undefined : openConnections(context, job);
  const { reading, mapping, stored } = await settleReading(context, source, job, said).finally(() => opened);
  const onDoubt = input.on_doubt ?? 'ask';
  // Names that are known show that header and delimiter are right.
  const isKnown = mapping.columns.some(({ field }) => field !== null);
  const found = reading.doubts ?? [];
  const doubts = unsettled(isKnown ? withoutDisproved(found) : found, said);
  let state = job.total_items === 0 ? freshIngest : (job.ingest ?? freshIngest);
  if (state.read === 0 && !state.isRead) {
    const stop = stopForDoubts(doubts, onDoubt, true);
    if (stop !== null) {
      await stored;
      return { stop, doubts };
    }
  }
  if (!state.isRead) state = await storeRows(context, source, { reading, mapping, stored }, job, state, deps);
  await stored;
  const late = [...doubts, ...unsettledLate(doubtsOfFindings(state.setAside ?? nothingFound), said)];
  return { stop: stopForDoubts(late, onDoubt, false), doubts: late };
}

/** `stored`: it is on its way to the database while the first rows are read. */
interface SettledReading extends JobReading {
  readonly stored: Promise<void>;
}

/** Decided by every attempt again until a row is stored: people may have said meanwhile how to read the file, or saved a mapping for its header. */
async function settleReading(
  context: Context,
  source: ByteSource,
  job: IngestRow,
  answered: SaidOfDoubts,
): Promise<SettledReading> {
  const { input, commit } = context;
  const { reading: stored, mapping } = job;
  // A job whose first rows were stored before mappings were ends as it began.
  if (stored !== null && job.total_items > 0)
    return { reading: stored, mapping: mapping ?? decideMapping(stored, null), stored: Promise.resolve() };
  const said = { ...answered, overrides: { ...job.overrides, ...answered.overrides } };
  const found = await readAsSaved(source, input.filename, said.overrides, (fingerprint) =>
    commit((tx) => selectMapping(tx, { pipeline: 'items', fingerprint })),
  );
  const decided = { ...found, reading: withAnswers(found.reading, said) };
  const storing = commit((tx) =>
    storeReading(tx, input.job_id, decided, columnNames(decided.reading.header.value.names)),
  );
  // Its failure is thrown where it is waited for, not while nobody does.
  storing.catch(() => undefined);
  return { ...decided, stored: storing };
}

function targetOf({ run, input }: Context, job: IngestRow): ItemsTarget {
  return { jobId: input.job_id, tenantId: run.tenantId, runId: run.id, userId: job.user_id, jobType: job.job_type };
}

/**
 * While the file is looked at the server would wait: meanwhile connections are opened for the pieces that are stored at once, and the server plans what they will ask. One
 * connection is there already. Whatever fails here fails again, and is told, where it is needed.
 */
async function openConnections(context: Context, job: IngestRow): Promise<void> {
  const target = targetOf(context, job);
  const open = () => context.commit((tx) => insertNothing(tx, target)).catch(() => undefined);
  await Promise.all(Array.from({ length: PIECES_AT_ONCE }, open));
}

async function storeRows(
  context: Context,
  source: ByteSource,
  { reading, mapping, stored }: SettledReading,
  job: IngestRow,
  from: IngestState,
  { settings, batchBytes, mostRemembered }: ItemsDeps,
): Promise<IngestState> {
  const { input } = context;
  const target = targetOf(context, job);
  const seen = input.duplicates === 'process' ? null : await seenBefore(context, from, source.size, mostRemembered);
  const gathered = new ItemRows({ reading, mapping }, from, source.size, seen);
  const size = new AdaptiveSize({
    name: 'rows per insert',
    initial: settings.ingestMinRows,
    min: settings.ingestMinRows,
    max: settings.ingestMaxRows,
    growth: GROWTH,
    targetMs: settings.dbP50Ms,
    p95Ms: settings.dbP95Ms,
    maxBytes: settings.ingestMaxBatchBytes,
    onDecision: context.decide,
  });
  const bounds = { rows: settings.ingestMaxRows, bytes: settings.ingestMaxBatchBytes };
  let moment = 0;
  const flush = async ({ inserts, rows, bytes, state }: TakenRows, before: Promise<unknown>) => {
    const asked = performance.now();
    let entered = asked;
    let ms = 0;
    await context.commit(async (tx) => {
      entered = performance.now();
      // Pieces of one moment would mix their rows in lists of what is pending.
      const from = Math.max(await holdJob(tx, target.jobId), moment + 1);
      moment = from + inserts.length;
      for (const [index, packed] of inserts.map((insert) => insert.pack()).entries())
        if (packed !== null) await insertPackedItems(tx, target, from + index, packed);
      const waiting = performance.now();
      // In the order of the file, or not at all: the place behind these rows stands for all rows before it, and copies are compared with the row that came first.
      await before;
      const waited = performance.now() - waiting;
      let { errors, skipped } = nothingOdd as Odd;
      for (const { odd } of inserts) {
        if (odd.length === 0) continue;
        const inserted = await insertOddItems(tx, target, odd);
        errors += inserted.errors;
        skipped += inserted.skipped;
      }
      await storeIngest(tx, target.jobId, state, { total: rows, errors, skipped });
      // Waiting for the piece before it says nothing of what these rows cost.
      ms = performance.now() - entered - waited;
    });
    gathered.giveBack(inserts);
    size.observe(rows, ms, { bytes, waitMs: entered - asked });
    countIngested(rows, ms, entered - asked);
    return state;
  };
  // Small batches of bytes first: the first rows are seen while the rest is still read. Three pieces are stored while the next is read: while the commit of one is on its way
  // to disk, the server works on another.
  const table = openTable(source, reading, { batchBytes: batchBytes ?? BATCH_BYTES, limits: rowLimits });
  const underWay: Promise<IngestState>[] = [];
  // No row is there before the reading is.
  let storing = stored.then(() => from);
  storing.catch(() => undefined);
  try {
    for await (const batch of table.batches(from.position)) {
      failpoint('stage.first_byte');
      context.signal.throwIfAborted();
      gathered.add(batch, bounds);
      context.progress({ done: batch.next.offset, total: source.size, unit: 'bytes', note: `${gathered.read} rows` });
      // As long as another one like it fits in.
      const hasRoom = gathered.rows + batch.rowCount <= size.size && gathered.bytes < settings.ingestMaxBatchBytes;
      if (hasRoom && !batch.isLast) continue;
      if (underWay.length >= PIECES_AT_ONCE) await underWay.shift();
      storing = flush(gathered.take(), storing);
      // Its failure is thrown where it is waited for, not while nobody does.
      storing.catch(() => undefined);
      underWay.push(storing);
    }
  } finally {
    // Nothing is under way when the stage has ended, however it ends.
    await Promise.allSettled([stored, ...underWay]);
  }
  return storing;
}

/** After an interruption: the rows that are stored already. */
async function seenBefore(
  { commit, input }: Context,
  from: IngestState,
  fileBytes: number,
  most?: number,
): Promise<SeenRows> {
  const expected = fileBytes / BYTES_PER_ROW;
  // Fingerprints of another version say nothing about these.
  if (from.read > 0 && from.fingerprints !== fingerprintWay)
    return new SeenRows({ most, unremembered: from.read, expected });
  const seen = new SeenRows({ most, expected });
  let after = -1;
  while (after < from.read - 1) {
    const rows = await commit((tx) => listFingerprints(tx, input.job_id, after, KNOWN_PER_LOOK));
    for (const { row_index: row, fingerprint } of rows) if (fingerprint >= 0) seen.firstOf(fingerprint, row);
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.row_index;
  }
  return seen;
}

type Odd = Omit<Inserted, 'total'>;

const KNOWN_PER_LOOK = 10_000;
const PIECES_AT_ONCE = 3;
/** Of a file, for the memory of rows that were seen: as a rule there are more. */
const BYTES_PER_ROW = 64;
/** Bytes of a file that is worth a connection for each. */
const SEVERAL_PIECES = 1_048_576;
/** Small pieces wait for each other's commits; what is far too large once is over in its time all the same. */
const GROWTH = 8;
/** Of the file per piece: a checkpoint lies behind each. */
const BATCH_BYTES = 65_536;
