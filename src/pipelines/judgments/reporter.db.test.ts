// What is said about batches: the specification's lines with exactly its fields, its alerts word for word, and nothing of the rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCanaries } from '../../../test/support/canary-people.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { type JudgmentsBench, judgmentsFile, openJudgmentsBench } from '../../../test/support/judgments.ts';
import { wordsOfLedger } from '../../../test/support/judgments-canaries.ts';
import { keepLines } from '../../../test/support/log-lines.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { judgmentsReporter } from './reporter.ts';

const database = useDatabase();
const { log, lines } = keepLines();
let bench: JudgmentsBench;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl, { log });
  bench.engine.consume(judgmentsReporter(log));
  await bench.engine.start();
});
afterAll(() => bench.close());

const canaryRow = (number: string, amount = '10') =>
  `${number},Canary Plaintiffsson,Canary Defendantsson,${amount},2024-01-01,Kings,canary@secret.test,555-867-5309,77 Canary Way`;

const lineOf = (message: string, batch: string) =>
  waitFor(() => lines.find((line) => line.msg === message && line.source_batch_id === batch), {
    what: `${message} ${batch}`,
  });

async function alertsOf(tenantId: string): Promise<{ message: string; severity: string }[]> {
  const { rows } = await database.admin.query(
    `select data ->> 'message' as message, data ->> 'severity' as severity from engine.events
     where tenant_id = $1 and type = 'alert.raised' order by event_id`,
    [tenantId],
  );
  return rows;
}

describe('the reporter', () => {
  it('logs start, end and row errors with exactly the fields of the specification', async () => {
    const tenantId = newTenant();
    const run = await bench.ingest(tenantId, judgmentsFile(canaryRow('L-1'), canaryRow('L-2', '-1')), {
      source_batch_id: 'logged',
    });
    const fieldsOf = async (message: string) => Object.keys(await lineOf(message, 'logged')).slice(2);
    expect(await fieldsOf('Job started')).toEqual(['source_batch_id', 'file_hash', 'worker_id', 'msg']);
    expect(await fieldsOf('Job completed')).toEqual([
      'source_batch_id',
      'record_count',
      'inserted',
      'updated',
      'duration_ms',
      'msg',
    ]);
    expect(await lineOf('Job completed', 'logged')).toMatchObject({ level: 'info', record_count: 2, inserted: 1 });
    expect(await lineOf('Row-level error', 'logged')).toMatchObject({
      level: 'warn',
      row_number: 2,
      error_type: 'number_negative',
    });
    expect(run.status).toBe('completed');
    expect(await alertsOf(tenantId)).toEqual([]);
  });

  it('names the revision whose row was refused, not the first one', async () => {
    const tenantId = newTenant();
    const first = await bench.ingest(tenantId, judgmentsFile(canaryRow('R-1', '-1')), { source_batch_id: 'revised' });
    const errorsOf = (batch: string) =>
      lines.filter((line) => line.msg === 'Row-level error' && line.source_batch_id === batch).length;
    await lineOf('Row-level error', 'revised');
    const { id } = await bench.engine.retry({ tenantId, by: 'ada' }, first.id);
    expect((await bench.ended(tenantId, id)).unique_key).toBe('revised#r2');
    expect(await lineOf('Row-level error', 'revised#r2')).toMatchObject({ row_number: 1 });
    expect([errorsOf('revised'), errorsOf('revised#r2')]).toEqual([1, 1]);
  });

  it('logs and alerts a failure by its code', async () => {
    const tenantId = newTenant();
    await bench.ingest(tenantId, judgmentsFile(canaryRow('', '1')), { source_batch_id: 'doomed' });
    const line = await lineOf('Job failed', 'doomed');
    expect(Object.keys(line).slice(2)).toEqual(['source_batch_id', 'error_type', 'error_message', 'msg']);
    expect(line).toMatchObject({ level: 'error', error_type: 'nothing_imported' });
    await waitFor(async () => (await alertsOf(tenantId)).length === 1);
    expect(await alertsOf(tenantId)).toEqual([
      { message: '[INGEST FAILURE] doomed: nothing_imported', severity: 'ERROR' },
    ]);
  });

  it('alerts more than five dead letters once, not at every failure', async () => {
    const tenantId = newTenant();
    for (let number = 1; number <= 8; number++)
      await bench.ingest(tenantId, judgmentsFile(canaryRow('', String(number))));
    const depths = async () => (await alertsOf(tenantId)).filter(({ message }) => message.includes('dead-letter'));
    await waitFor(async () => (await alertsOf(tenantId)).length >= 9);
    expect(await depths()).toMatchObject([
      { message: expect.stringMatching(/^Ingest dead-letter queue has [678] messages$/) },
    ]);
  });

  it('says nothing of names, addresses, phones or emails in any line, alert, event or error', async () => {
    expect(findCanaries(JSON.stringify(lines) + (await wordsOfLedger(bench.engine)))).toEqual([]);
  });
});
