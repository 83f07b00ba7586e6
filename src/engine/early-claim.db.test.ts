// A stage may begin while its claim's commit is under way. What then becomes of it, when that commit fails or is slow.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline, newTenant } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { withClient } from '../platform/database.ts';

const database = useDatabase();
const tenantId = newTenant();
const LOCK = 4712;
const begun: number[] = [];
let looks = 0;
let engine: Awaited<ReturnType<typeof buildEngine>>;

const work = buildPipeline('early', async ({ run, commit }) => {
  begun.push(run.attempt);
  await commit((tx) => tx.query(`insert into notes (run_id, attempt) values ($1, $2)`, [run.id, run.attempt]));
  return 'complete';
});

/** What the commit of a claim does from now on. */
const atCommit = (manner: 'nothing' | 'fail' | 'wait') =>
  database.admin.query('update manners set manner = $1', [manner]);
const runOf = (id: string) => engine.run(tenantId, id);
const notesOf = async (id: string) =>
  (await database.admin.query('select attempt from notes where run_id = $1', [id])).rows;
const ended = (id: string) =>
  waitFor(async () => ((await runOf(id)).finished_at === null ? undefined : runOf(id)), { what: 'the run to end' });

// Only a worker that looked without result and is woken takes its rows early; one that comes by itself waits for the commit. It does not come by itself.
const POLL_MS = 3_600_000;

/** A worker that has just looked without result, and looks again only when it is woken. */
async function idle(): Promise<void> {
  const { id } = await engine.enqueue({ pipeline: 'early', tenantId, input: {} });
  await ended(id);
  const before = looks;
  engine.wake();
  await waitFor(async () => looks > before, { what: 'a look without result' });
  begun.length = 0;
}

/**
 * Whether the stage begins before its claim has landed. A look that was under way when the run came takes it in the round over all lanes,
 * which waits for its commit: then it does not, and that is no fault.
 */
async function isTakenEarly(): Promise<boolean> {
  const seen = await waitFor(
    async () => {
      if (begun.length > 0) return 'early';
      const { rows } = await database.admin.query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory' and query ~ 'with recursive lanes'`,
      );
      return rows.length > 0 ? 'late' : undefined;
    },
    { what: 'the run to be taken' },
  );
  return seen === 'early';
}

beforeAll(async () => {
  await database.admin.query(`
    create table notes (run_id uuid not null, attempt integer not null);
    grant all on notes to millrace_app;
    create table manners (manner text not null);
    insert into manners values ('nothing');
    create function at_commit_of_claim() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if (select manner from manners) = 'fail' then raise exception 'the claim is refused at commit'; end if;
      if (select manner from manners) = 'wait' then perform pg_advisory_xact_lock(${LOCK}); end if;
      return null;
    end $$;
    create constraint trigger leases_at_commit after insert on engine.leases deferrable initially deferred
      for each row execute function at_commit_of_claim();`);
  engine = await buildEngine(database.appUrl, [work], { settings: { pollMs: POLL_MS } });
  engine.vitals.onClaim(() => {
    looks += 1;
  });
  await engine.start();
});
afterAll(() => engine.close());

it('a stage whose claim does not land writes nothing, and the run is worked on as if nobody had begun', async () => {
  await idle();
  await atCommit('fail');
  const { id } = await engine.enqueue({ pipeline: 'early', tenantId, input: {} });
  await waitFor(async () => begun.length > 0 || undefined, { what: 'the stage to begin' });
  expect(await runOf(id)).toMatchObject({ status: 'queued', attempt: 0 });
  expect(await notesOf(id)).toEqual([]);
  await atCommit('nothing');
  expect(await ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
  expect(await notesOf(id)).toEqual([{ attempt: 1 }]);
});

it('a stage that is quicker than its claim waits for it before it writes', async () => {
  for (let isEarly = false; !isEarly; ) {
    await idle();
    await withClient(database.admin, async (holder) => {
      await holder.query(`select pg_advisory_lock(${LOCK})`);
      await atCommit('wait');
      const { id } = await engine.enqueue({ pipeline: 'early', tenantId, input: {} });
      isEarly = await isTakenEarly();
      expect(await runOf(id)).toMatchObject({ status: 'queued', attempt: 0 });
      expect(await notesOf(id)).toEqual([]);
      await atCommit('nothing');
      await holder.query(`select pg_advisory_unlock(${LOCK})`);
      expect(await ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
      expect(await notesOf(id)).toEqual([{ attempt: 1 }]);
      expect(begun).toEqual([1]);
    });
  }
});
