// A batch whose worker is killed at each boundary ends as if nothing had happened: every row once, the receipt whole.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import {
  casesOf,
  type JudgmentsBench,
  judgmentsFile,
  openJudgmentsBench,
  plaintiffsOf,
  rejectsOf,
} from '../../../test/support/judgments.ts';
import { compiledProgram } from '../../../test/support/programs.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const database = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-judgments-crash-'));
const program = compiledProgram('test/support/judgments-worker.ts');
const deps = { batchBytes: 2_000, flushRows: 100, loadRows: 200 };
// Lanes that somebody began keep their size, whatever a worker of another version takes for the best one.
const [killedLaneRows, laneRows] = [700, 1_000];
let bench: JudgmentsBench;

beforeAll(async () => {
  // Uploads and looks; it works on nothing until the children are dead.
  bench = await openJudgmentsBench(database.appUrl, { folder, deps: { ...deps, laneRows } });
});
afterAll(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

// Long enough that the store hands the file over in several pieces.
const address = 'x'.repeat(900);
const rows = Array.from({ length: 3_000 }, (_, index) => {
  const amount = index % 17 === 3 ? '-1' : String(index);
  return `K-${index % 2_900},Person ${index % 30},Dan,${amount},2024-01-01,Kings,${index % 3 === 0 ? `p${index % 30}@example.test` : ''},,${address}`;
});
const file = judgmentsFile(...rows);

/** A worker in a process of its own that dies at the failpoint; resolves when it is dead. */
async function workUntilKilled(failpoint: string): Promise<void> {
  const orders = JSON.stringify({
    url: database.appUrl,
    folder,
    deps: { ...deps, laneRows: killedLaneRows },
    failpoint,
  });
  const child = fork(program, [orders], { execArgv: [], stdio: 'ignore' });
  // Never reached: then the test must say so instead of waiting for ever.
  const late = setTimeout(() => child.kill('SIGTERM'), 540_000);
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(late);
  expect([failpoint, signal]).toEqual([failpoint, 'SIGKILL']);
}

async function begunLanes(runId: string): Promise<number> {
  const { rows: lanes } = await database.admin.query(
    `select from engine.checkpoints where run_id = $1 and part like 'lane-%'`,
    [runId],
  );
  return lanes.length;
}

async function outcomeOf(tenantId: string, runId: string) {
  const run = await bench.ended(tenantId, runId);
  const cases = await casesOf(database.admin, tenantId);
  const plaintiffs = await plaintiffsOf(database.admin, tenantId);
  return {
    status: run.status,
    receipt: run.receipt,
    cases,
    plaintiffs: plaintiffs.map(({ dedupe_key: key, name }) => ({ key, name })).sort((a, b) => (a.key < b.key ? -1 : 1)),
    rejects: await rejectsOf(database.admin, runId),
  };
}

describe('a batch whose worker is killed', () => {
  it('ends as an undisturbed one does, wherever the kill struck', async () => {
    const undisturbed = newTenant();
    const points = [
      'stage.first_byte:2',
      'commit.after_effects:5',
      'commit.after_commit:6',
      'commit.after_checkpoint:8',
      'commit.after_commit:13',
      'commit.after_effects:17',
      'finish.before_commit',
    ];
    const tenants: { tenantId: string; runId: string }[] = [];
    const lanesBegun: number[] = [];
    for (const failpoint of points) {
      const tenantId = newTenant();
      const runId = await bench.submit(tenantId, file);
      await workUntilKilled(failpoint);
      tenants.push({ tenantId, runId });
      lanesBegun.push(await begunLanes(runId));
    }
    expect(lanesBegun.some((lanes) => lanes > 0 && lanes * killedLaneRows < rows.length)).toBe(true);
    const runId = await bench.submit(undisturbed, file);
    await bench.engine.start();
    const expected = await outcomeOf(undisturbed, runId);
    expect(expected.status).toBe('completed');
    for (const [index, { tenantId, runId: killed }] of tenants.entries()) {
      const outcome = await outcomeOf(tenantId, killed);
      expect([points[index], outcome]).toEqual([points[index], expected]);
      const attempts = await database.admin.query(
        'select outcome from engine.attempts where run_id = $1 order by attempt',
        [killed],
      );
      expect(attempts.rows.map(({ outcome: ended }) => ended)).toContain('lost');
    }
    const stale = await waitFor(async () => {
      const { rows: left } = await database.admin.query('select * from ingest.v_stale_runs');
      return left.length === 0;
    });
    expect(stale).toBe(true);
  });
});
