// A batch whose worker was killed is taken over: said once in the log with exactly the specification's fields, alerted, started again.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { type JudgmentsBench, judgmentsFile, openJudgmentsBench } from '../../../test/support/judgments.ts';
import { keepLines } from '../../../test/support/log-lines.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { judgmentsReporter } from './reporter.ts';

const database = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-judgments-takeover-'));
const program = compiledProgram('test/support/judgments-worker.ts');
const { log, lines } = keepLines();
let bench: JudgmentsBench;

beforeAll(async () => {
  bench = await openJudgmentsBench(database.appUrl, { folder, log });
  bench.engine.consume(judgmentsReporter(log));
});
afterAll(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

async function workUntilKilled(): Promise<void> {
  const orders = { url: database.appUrl, folder, deps: {}, failpoint: 'commit.after_commit:2' };
  const child = fork(program, [JSON.stringify(orders)], { execArgv: [], stdio: 'ignore' });
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  expect(signal).toBe('SIGKILL');
}

describe('a batch whose worker was killed', () => {
  it('is listed as stale after the timeout, then taken over with the line and the alert of the specification', async () => {
    const tenantId = newTenant();
    const file = judgmentsFile('T-1,Ann,Dan,10,2024-01-01,Kings,,,');
    const runId = await bench.submit(tenantId, file, { source_batch_id: 'abandoned' });
    await workUntilKilled();
    const stale = async (hours: number) => {
      await setClockOffset(database.admin, '3 hours');
      try {
        await database.admin.query(`select set_config('millrace.processing_timeout_hours', '${hours}', false)`);
        return (await database.admin.query('select source_batch_id, hours_stale from ingest.v_stale_runs')).rows;
      } finally {
        await database.admin.query(`select set_config('millrace.processing_timeout_hours', '', false)`);
        await setClockOffset(database.admin, '0');
      }
    };
    expect(await stale(1)).toMatchObject([{ source_batch_id: 'abandoned' }]);
    expect(await stale(4)).toEqual([]);
    await bench.engine.start();
    const run = await bench.ended(tenantId, runId);
    expect([run.status, run.attempt]).toEqual(['completed', 2]);
    const said = () => lines.filter(({ msg }) => msg === 'Stale takeover');
    await waitFor(() => said().length > 0, { what: 'the takeover to be logged' });
    const [line] = said();
    expect(Object.keys(line ?? {}).slice(2)).toEqual(['source_batch_id', 'stale_hours', 'original_started_at', 'msg']);
    expect(line).toMatchObject({ level: 'warn', source_batch_id: 'abandoned', stale_hours: expect.any(Number) });
    expect(Date.parse(String(line?.original_started_at))).toBeLessThan(run.finished_at?.getTime() ?? 0);
    const raised = async () => {
      const { rows } = await database.admin.query(
        `select data ->> 'message' as message, data ->> 'severity' as severity from engine.events
         where run_id = $1 and type = 'alert.raised'`,
        [runId],
      );
      return rows.length > 0 ? rows : undefined;
    };
    // The line is written first.
    const rows = await waitFor(raised, { what: 'the alert to be raised' });
    expect(rows).toEqual([
      { message: expect.stringMatching(/^\[STALE TAKEOVER\] abandoned abandoned for [\d.]+h$/), severity: 'WARNING' },
    ]);
  });
});
