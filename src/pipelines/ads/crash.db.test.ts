// An upload whose worker is killed at each boundary ends as if nothing had happened: tables, receipt, rejects and event are equal.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, numbersOf, openAdsBench } from '../../../test/support/ads.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newTenant } from '../../../test/support/engine.ts';
import { compiledProgram } from '../../../test/support/programs.ts';

const database = useDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'millrace-ads-crash-'));
const program = compiledProgram('test/support/ads-worker.ts');
const deps = { batchBytes: 4_000, flushRows: 100, promotionRows: 100 };
let bench: AdsBench;

beforeAll(async () => {
  // Uploads and looks; it works on nothing until the children are dead.
  bench = await openAdsBench(database.appUrl, { folder, deps });
});
afterAll(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

// Bad rows, quoted line breaks, equal and different duplicates, names that change on the way.
const rows = Array.from({ length: 1_500 }, (_, i) => {
  const day = new Date(Date.UTC(2024, 0, 1 + (i % 50))).toISOString().slice(0, 10);
  const ad = Math.floor(i / 50) % 28;
  const spend = i % 23 === 3 ? 'n. v.' : `${ad}.${i % 50}`;
  return `${day},C${ad % 3},${ad % 3},"Ad ${ad}\n${i > 700 ? 'b' : 'a'}",${ad},${spend},${100 + (i % 50)},${i % 7 === 6 ? '' : ad}`;
});
const file = ['Day,Campaign name,Campaign ID,Ad name,Ad ID,Amount spent (USD),Impressions,Clicks (all)', ...rows].join(
  '\n',
);

/** A worker in a process of its own that dies at the failpoint; resolves when it is dead. */
async function workUntilKilled(failpoint: string): Promise<void> {
  const orders = { url: database.appUrl, folder, deps, failpoint };
  const child = fork(program, [JSON.stringify(orders)], { execArgv: [], stdio: 'ignore' });
  // Never reached: then the test must say so instead of waiting for ever.
  const late = setTimeout(() => child.kill('SIGTERM'), 540_000);
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(late);
  expect([failpoint, signal]).toEqual([failpoint, 'SIGKILL']);
}

async function outcomeOf(tenantId: string, runId: string) {
  const run = await bench.ended(tenantId, runId);
  const events = await database.admin.query<{ data: Record<string, unknown> }>(
    `select data - 'upload_id' - 'workspace_id' - 'timestamp' as data from engine.events where run_id = $1 and type = 'IngestionCompleteEvent'`,
    [runId],
  );
  return {
    status: run.status,
    receipt: run.receipt,
    events: events.rows,
    numbers: await numbersOf(database.admin, tenantId),
  };
}

describe('an upload whose worker is killed', () => {
  it('ends as an undisturbed one does, wherever the kill struck', async () => {
    const points = [
      'stage.first_byte:3',
      'commit.after_effects:5',
      'commit.after_commit:7',
      'commit.after_checkpoint:18',
      'commit.after_effects:19',
      'finish.before_commit:2',
    ];
    const killed: { tenantId: string; runId: string }[] = [];
    for (const failpoint of points) {
      const tenantId = newTenant();
      const runId = await bench.submit(tenantId, file);
      await workUntilKilled(failpoint);
      killed.push({ tenantId, runId });
    }
    const undisturbed = newTenant();
    const runId = await bench.submit(undisturbed, file);
    await bench.engine.start();
    const expected = await outcomeOf(undisturbed, runId);
    expect(expected.status).toBe('completed');
    expect(expected.events).toHaveLength(1);
    for (const [index, each] of killed.entries()) {
      expect([points[index], await outcomeOf(each.tenantId, each.runId)]).toEqual([points[index], expected]);
      const attempts = await database.admin.query('select outcome from engine.attempts where run_id = $1', [
        each.runId,
      ]);
      expect(attempts.rows.map(({ outcome }) => outcome)).toContain('lost');
    }
  });
});
