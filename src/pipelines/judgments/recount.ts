// The receipt of a batch, counted again: every line from the file, where it went from the tables. None of the run's own counts is used.
// What it needs in memory grows with the number of cases; verifying is rare.
import { hash } from 'node:crypto';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { findBlob } from '../../engine/blobs/blobs.ts';
import type { RunFacts } from '../../engine/pipeline.ts';
import type { Receipt } from '../../engine/receipt.ts';
import type { Queryable } from '../../platform/database.ts';
import { blobSource } from '../../tabular/blob-source.ts';
import { ContentCounter, nothingCounted } from '../../tabular/content-counter.ts';
import { openTable, type Table } from '../../tabular/read-table.ts';
import { replayTable } from '../../tabular/replay-rows.ts';
import { RowParser } from '../../tabular/validation/row-parser.ts';
import { CaseReader, type CaseRow } from './case-row.ts';
import { nullTokensIn } from './column-policy.ts';
import { judgmentFields } from './fields.ts';
import type { JudgmentsDeps } from './import.ts';
import type { JudgmentsInput } from './input.ts';
import type { BatchReading } from './reading.ts';
import { selectBatchReading } from './sql/batch-readings.ts';
import { recountJudgments } from './sql/recount-judgments.ts';

interface FirstLine {
  readonly rowIndex: number;
  readonly caseNumber: string;
  readonly countyKey: string | null;
  readonly said: string;
}

const KEYS_PER_QUERY = 2_000;

export async function recountBatch(
  run: RunFacts<JudgmentsInput>,
  tx: Queryable,
  { store }: JudgmentsDeps,
): Promise<Receipt> {
  const batch = await selectBatchReading(tx, run.id);
  const blob = run.blobId === null ? undefined : await findBlob(tx, run.blobId);
  if (batch === undefined || blob === undefined || blob.deleted_at !== null)
    throw new MillraceError('upload_file_gone', { run: run.id });
  const source = blobSource(store, blob);
  const table =
    run.input.replay_of === undefined ? openTable(source, batch.reading) : replayTable(source, batch.reading);
  const counter = new ContentCounter(nothingCounted, 0, source.size);
  const { read, furniture, rejected, superseded, cases } = await countFile({ table, counter }, batch, run.input);
  // What was stopped in staging never came to the tables; the file alone says what it was.
  const isHeldBack = run.receipt?.outcomes?.held_back !== undefined;
  const outcomes: Record<string, number> = isHeldBack ? { held_back: cases.length } : await countTables(tx, run, cases);
  if (superseded > 0) outcomes.superseded = superseded;
  if (rejected > 0) outcomes.rejected = rejected;
  const { content } = counter;
  return { read, outcomes, furniture, ...(content === undefined ? {} : { content }) };
}

async function countFile(
  { table, counter }: { readonly table: Table; readonly counter: ContentCounter },
  { reading, mapping }: BatchReading,
  input: JudgmentsInput,
) {
  const parser = new RowParser(reading, mapping.columns, judgmentFields, mapping.constants);
  const reader = new CaseReader(parser, mapping.columns, nullTokensIn(reading, input.null_token));
  const firsts = new Map<string, FirstLine>();
  const counts = { read: 0, furniture: 0, rejected: 0, superseded: 0 };
  for await (const batch of table.batches()) {
    counter.add(batch);
    for (let row = 0; row < batch.rowCount; row++) {
      if (batch.kinds[row] !== 0) {
        counts.furniture++;
        continue;
      }
      const rowIndex = counts.read++;
      const found = batch.faults[row] === 0 ? reader.read(batch, row).row : null;
      if (found === null) counts.rejected++;
      else settle(firsts, found, rowIndex, counts);
    }
  }
  return { ...counts, cases: [...firsts.values()] };
}

/** A case named again is a copy when it says the same as its first line, else it is refused. */
function settle(
  firsts: Map<string, FirstLine>,
  row: CaseRow,
  rowIndex: number,
  counts: { rejected: number; superseded: number },
): void {
  const { caseNumber, countyKey, plaintiffName, defendantName, filingDate, email, phone, address } = row;
  const amount = row.amount === null ? null : plainDecimal(row.amount);
  const values = [plaintiffName, defendantName, amount, filingDate, email, phone, address];
  const said = hash('sha256', JSON.stringify(values), 'base64');
  const key = JSON.stringify([caseNumber, countyKey]);
  const first = firsts.get(key);
  if (first === undefined) firsts.set(key, { rowIndex, caseNumber, countyKey, said });
  else if (first.said === said) counts.superseded++;
  else counts.rejected++;
}

/** 100.50 and 100.5 are one amount. */
function plainDecimal(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

async function countTables(
  tx: Queryable,
  run: RunFacts<JudgmentsInput>,
  cases: readonly FirstLine[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let at = 0; at < cases.length; at += KEYS_PER_QUERY) {
    const some = cases.slice(at, at + KEYS_PER_QUERY);
    const outcomes = await recountJudgments(
      tx,
      { tenantId: run.tenantId, runId: run.id },
      {
        rowIndex: some.map(({ rowIndex }) => rowIndex),
        caseNumber: some.map(({ caseNumber }) => caseNumber),
        countyKey: some.map(({ countyKey }) => countyKey),
      },
    );
    for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
