// The second line of defence: a part of a worker that stands although every statement has a limit. Statements of this process are kept
// from ever answering; the worker notices, says so, and starts the part again or leaves its runs to others.
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant, smallTimings } from '../../test/support/engine.ts';
import { enginePoolUrls } from '../../test/support/pgbouncer.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Pool } from '../platform/database.ts';
import { silentLog } from '../platform/log.ts';
import { createEngine } from './engine.ts';
import { createEnginePools } from './engine-pools.ts';

const db = useDatabase();
const tenantId = newTenant();
const settings = { ...smallTimings, leaseMs: 1_000, heartbeatMs: 300 };
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An engine whose statements of the given names never answer while `stands` says so. */
async function openStanding(
  pipeline: ReturnType<typeof buildPipeline>,
  names: readonly string[],
  stands: () => boolean,
) {
  const said: string[] = [];
  // Let go in the end: whoever stops waits for them.
  const held: (() => void)[] = [];
  closers.push(async () => {
    for (const letGo of held) letGo();
  });
  const log = { ...silentLog, error: (_: unknown, text?: string) => void said.push(text ?? '') };
  const pools = createEnginePools({
    ...enginePoolUrls(db.appUrl),
    ...{ controlSize: 4, effectsSize: 4, connectTimeoutMs: 5_000, leaseMs: settings.leaseMs, log: silentLog },
  });
  const query = (statement: { name?: string }, ...more: []) =>
    names.includes(statement.name ?? '') && stands()
      ? new Promise((_, reject) => held.push(() => reject(new Error('the test is over'))))
      : pools.control.query(statement as never, ...more);
  const control = new Proxy(pools.control, {
    get(pool, key: keyof Pool) {
      const value: unknown = key === 'query' ? query : pool[key];
      return typeof value === 'function' ? value.bind(pool) : value;
    },
  });
  const engine = createEngine({ pools: { ...pools, control }, pipelines: [pipeline], settings, log, version: 'test' });
  await engine.register();
  return { engine, said, pools };
}

const isDone = (id: string) =>
  waitFor(
    async () =>
      (await db.admin.query(`select from engine.runs where id = $1 and phase = 'done'`, [id])).rowCount === 1 ||
      undefined,
    { what: 'the run to end' },
  );

const STANDS = 'a part of the worker makes no progress';

describe('a worker', () => {
  it('whose claim loop stands says so and starts another one, which finds the work', async () => {
    let isFirst = true;
    const stands = () => {
      const now = isFirst;
      isFirst = false;
      return now;
    };
    let asked = false;
    const { engine, said, pools } = await openStanding(
      buildPipeline('stands', async () => 'complete'),
      ['engine-look-for-work'],
      () => asked && stands(),
    );
    await engine.start();
    closers.push(
      () => engine.stop(),
      () => pools.close(),
    );
    asked = true;
    await waitFor(() => !isFirst, { what: 'a look that never ends' });
    const { id } = await engine.enqueue({ pipeline: 'stands', tenantId, input: {} });
    await isDone(id);
    expect(said).toEqual([STANDS]);
  });

  it('that cannot write its ends says so and lets its leases expire: another worker does the work', async () => {
    let begun = 0;
    const names = ['engine-end-attempts', 'engine-end-alike'];
    const pipeline = buildPipeline('unwritten', async () => {
      begun += 1;
      return 'complete';
    });
    const { engine, said, pools } = await openStanding(pipeline, names, () => true);
    await engine.start({ worker: true });
    closers.push(
      () => engine.stop(),
      () => pools.close(),
    );
    const { id } = await engine.enqueue({ pipeline: 'unwritten', tenantId, input: {} });
    await waitFor(() => begun === 1, { what: 'the run to be worked on' });
    const other = await buildEngine(db.appUrl, [buildPipeline('unwritten', async () => 'complete')], { settings });
    closers.unshift(() => other.close());
    await other.start();
    await isDone(id);
    expect(said).toContain(STANDS);
    const { rows } = await db.admin.query('select outcome from engine.attempts where run_id = $1 order by attempt', [
      id,
    ]);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['lost', 'complete']);
  });
});
