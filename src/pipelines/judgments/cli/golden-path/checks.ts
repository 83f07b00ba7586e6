// The golden path: a test batch goes through a live installation, is refused a second time, and is removed again. Each check either
// holds or says why not; none of them leaves anything behind but the batch's entry in the ledger.
import { setTimeout as pause } from 'node:timers/promises';
import type { AnswerOf, Client } from '../../../../contract/api/client.ts';
import { GOLDEN_PATH_PREFIX } from '../../batch-id.ts';

export interface Check {
  readonly name: string;
  readonly isHeld: boolean;
  /** Why it does not hold, or what was seen. */
  readonly detail: string;
}

export interface TestBatch {
  readonly id: string;
  readonly caseNumber: string;
  readonly form: () => FormData;
}

const LOOK_EVERY_MS = 200;
const HEADER = 'Case Number,Plaintiff,Defendant,Judgment Amount,Filing Date,County,Email,Phone,Address';

/** Ids of their own, so that two golden paths at once do not meet. */
export function testBatch(suffix: string, rows = 1): TestBatch {
  const id = `${GOLDEN_PATH_PREFIX}${suffix}`;
  return batchOf(id, id, '1.00', rows);
}

/** The case of the first batch once more, in a batch of its own and with another amount. */
export function sameCase(suffix: string): TestBatch {
  const first = `${GOLDEN_PATH_PREFIX}${suffix}`;
  return batchOf(`${first}_again`, first, '2.00', 1);
}

function batchOf(id: string, cases: string, amount: string, rows: number): TestBatch {
  const caseNumber = `${cases.toUpperCase()}-1`;
  const lines = Array.from(
    { length: rows },
    (_, index) =>
      `${cases}-${index + 1},Golden Path Plaintiff,Golden Path Defendant,${amount},2024-01-02,Golden Path,${cases}@golden-path.invalid,,`,
  );
  const content = `${HEADER}\n${lines.join('\n')}\n`;
  const form = () => {
    const made = new FormData();
    made.set('source_batch_id', id);
    made.set('file', new Blob([content], { type: 'text/csv' }), `${id}.csv`);
    return made;
  };
  return { id, caseNumber, form };
}

export async function checkCompletion(call: Client, batch: TestBatch, timeoutMs: number, rows = 1): Promise<Check> {
  const name = 'Initial Completion';
  const accepted = await call('batches.create', { body: batch.form() });
  if (accepted.outcome !== 'accepted') return { name, isHeld: false, detail: `the answer was ${accepted.outcome}` };
  const shown = await waitForEnd(call, batch.id, timeoutMs);
  const { status, record_count: records } = shown;
  const isHeld = status === 'completed' && records === rows;
  return {
    name,
    isHeld,
    detail: `status ${status}, record_count ${records}${shown.error_type ? ` (${shown.error_type})` : ''}`,
  };
}

export async function checkDuplicate(call: Client, batch: TestBatch): Promise<Check> {
  const name = 'Duplicate Skip';
  const before = await call('batches.show', { params: { batch_id: batch.id } });
  const again = await call('batches.create', { body: batch.form() });
  const after = await call('batches.show', { params: { batch_id: batch.id } });
  const isHeld =
    again.outcome === 'skipped' &&
    again.reason === 'duplicate_completed' &&
    again.run_id === before.run_id &&
    JSON.stringify(after) === JSON.stringify(before);
  return { name, isHeld, detail: `${again.outcome} ${again.reason ?? ''}`.trim() };
}

/** Check 4 of the specification: the same case a second time is an update, not an error and not a second row. */
export async function checkUpdate(call: Client, batch: TestBatch, again: TestBatch, timeoutMs: number): Promise<Check> {
  const name = 'Same Case Updates';
  await call('batches.create', { body: again.form() });
  const { status, run_id } = await waitForEnd(call, again.id, timeoutMs);
  const { receipt } = await call('runs.show', { params: { run_id } });
  const { data } = await call('judgments.list', { query: { case_number: batch.caseNumber } });
  const updated = receipt?.outcomes?.updated ?? 0;
  const isHeld = status === 'completed' && updated === 1 && data.length === 1;
  return { name, isHeld, detail: `status ${status}, ${updated} updated, ${data.length} stored` };
}

/** The later batch first: what it updated is its own by now, and the person it names is the first one's. */
export async function checkCleanup(call: Client, batch: TestBatch, again?: TestBatch): Promise<Check> {
  const name = 'Cleanup';
  if (again !== undefined) await call('batches.remove', { params: { batch_id: again.id } });
  await call('batches.remove', { params: { batch_id: batch.id } });
  const { data } = await call('judgments.list', { query: { case_number: batch.caseNumber } });
  return { name, isHeld: data.length === 0, detail: data.length === 0 ? 'nothing left' : `${data.length} rows left` };
}

export async function waitForEnd(call: Client, batchId: string, timeoutMs: number): Promise<AnswerOf<'batches.show'>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const shown = await call('batches.show', { params: { batch_id: batchId } });
    if (shown.completed_at !== null || performance.now() > deadline) return shown;
    await pause(LOOK_EVERY_MS);
  }
}
