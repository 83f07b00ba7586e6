// A replica that lagged was promoted: commits that were acknowledged are gone. A superuser puts the tables back to what they were, as the
// replica would have them; the worker goes on and knows nothing.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Stage } from './pipeline.ts';
import type { StageContext } from './stage-context.ts';

const database = useDatabase();
const tenantId = newTenant();
const PIECES = 6;
const engines: Awaited<ReturnType<typeof buildEngine>>[] = [];

beforeAll(async () => {
  await database.admin.query(
    `create schema x; grant usage on schema x to millrace_app;
     create table x.pieces (run_id uuid, piece int); grant insert, select on x.pieces to millrace_app`,
  );
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

type Work = Stage<Record<string, unknown>>['work'];

async function start(name: string, work: Work) {
  const engine = await buildEngine(database.appUrl, [buildPipeline(name, work)]);
  engines.push(engine);
  const { id } = await engine.enqueue({ pipeline: name, tenantId, input: {} });
  await engine.start();
  const ended = () =>
    waitFor(
      async () => ((await engine.run(tenantId, id)).finished_at === null ? undefined : engine.run(tenantId, id)),
      {
        what: 'the run to end',
      },
    );
  return { engine, id, ended };
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const store = (context: StageContext, piece: number) =>
  context.commit(
    async (tx) => {
      await tx.query('insert into x.pieces values ($1, $2)', [context.run.id, piece]);
    },
    { checkpoint: { next: piece + 1 } },
  );

async function storeAll(context: StageContext, before: (piece: number) => Promise<void>) {
  const from = ((await context.checkpoint<{ next: number }>())?.next ?? 0) as number;
  for (let piece = from; piece < PIECES; piece += 1) {
    await before(piece);
    await store(context, piece);
  }
}

const receipt = { read: PIECES, outcomes: { stored: PIECES } };

async function rewind(id: string, to: number) {
  await database.admin.query('delete from x.pieces where run_id = $1 and piece >= $2', [id, to]);
  await database.admin.query('update engine.checkpoints set commits = $2, state = $3 where run_id = $1', [
    id,
    to,
    JSON.stringify({ next: to }),
  ]);
}

const pieces = async (id: string) =>
  (await database.admin.query('select piece from x.pieces where run_id = $1 order by piece', [id])).rows.map(
    (row) => row.piece,
  );
const outcomes = async (id: string) =>
  (await database.admin.query('select outcome from engine.attempts where run_id = $1 order by attempt', [id])).rows.map(
    (row) => row.outcome,
  );
const each = Array.from({ length: PIECES }, (_, piece) => piece);

describe('an execution whose commits a failover has lost', () => {
  it('is found out at its next commit, and the run goes on from what the database has', async () => {
    const before4 = gate();
    let reached = false;
    const { id, ended } = await start('next_commit', async (context) => {
      await storeAll(context, async (piece) => {
        if (piece !== 4 || context.run.attempt > 1) return;
        reached = true;
        await before4.opened;
      });
      return { on: 'complete', receipt };
    });
    await waitFor(() => reached);
    await rewind(id, 2);
    before4.open();
    expect(await ended()).toMatchObject({ status: 'completed', attempt: 2, failures: {} });
    expect(await pieces(id)).toEqual(each);
    expect(await outcomes(id)).toEqual(['released', 'complete']);
  });

  it('is found out at its end when there was no further commit', async () => {
    const atEnd = gate();
    let reached = false;
    const { id, ended } = await start('at_the_end', async (context) => {
      await storeAll(context, async () => {});
      if (context.run.attempt === 1) {
        reached = true;
        await atEnd.opened;
      }
      return { on: 'complete', receipt };
    });
    await waitFor(() => reached);
    await rewind(id, 3);
    atEnd.open();
    expect(await ended()).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await pieces(id)).toEqual(each);
    expect(await outcomes(id)).toEqual(['released', 'complete']);
  });

  it('ends nothing even when its stage swallows the error and says that all is well', async () => {
    const before4 = gate();
    let reached = false;
    const { id, ended } = await start('swallows', async (context) => {
      await storeAll(context, async (piece) => {
        if (piece !== 4 || context.run.attempt > 1) return;
        reached = true;
        await before4.opened;
      }).catch(() => {});
      return { on: 'complete', receipt };
    });
    await waitFor(() => reached);
    await rewind(id, 1);
    before4.open();
    expect(await ended()).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await pieces(id)).toEqual(each);
  });
});

describe('of two executions with the same attempt', () => {
  it('only the one whose worker the lease names may write', async () => {
    const before1 = gate();
    let reached = false;
    let refused: unknown;
    const { engine, id } = await start('two_workers', async (context) => {
      await store(context, 0);
      reached = true;
      await before1.opened;
      refused = await store(context, 1).catch((error: unknown) => error);
      throw refused;
    });
    await waitFor(() => reached);
    const other = newTenant();
    await database.admin.query(
      `insert into engine.workers (worker_id, name, pid, host, version, pipelines, concurrency, expires_at)
       values ($1, 'other', 1, 'h', 'v', '{}', 1, engine.now() + interval '1 hour')`,
      [other],
    );
    await database.admin.query('update engine.leases set worker_id = $2 where run_id = $1', [id, other]);
    before1.open();
    await waitFor(() => refused !== undefined);
    expect(refused).toMatchObject({ code: 'lease_lost' });
    expect(await pieces(id)).toEqual([0]);
    expect(await engine.run(tenantId, id)).toMatchObject({ phase: 'active' });
  });

  it('the one that commits second finds out that it is not alone', async () => {
    const both = gate();
    let inside = 0;
    const contexts: StageContext[] = [];
    const { id } = await start('twice_at_once', async (context) => {
      await context.checkpoint();
      contexts.push(context as StageContext);
      inside += 1;
      await both.opened;
      return { on: 'complete', receipt };
    });
    await waitFor(() => inside === 1);
    const [first] = contexts as [StageContext];
    // As the other execution would have left it.
    await database.admin.query(
      `insert into engine.checkpoints (run_id, stage, attempt, state, commits) values ($1, 'work', 1, '{"next": 1}', 1)`,
      [id],
    );
    await expect(store(first, 0)).rejects.toMatchObject({ code: 'commits_lost' });
    expect(await pieces(id)).toEqual([]);
    both.open();
  });
});
