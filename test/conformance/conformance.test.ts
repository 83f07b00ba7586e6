// The pipeline conformance suite: what every pipeline of the installation promises, tried on the built product over HTTP. The list is the
// installation's own, so that a new kit is tried as soon as it is listed; it needs no more than a sample (or a subject, subjects.ts).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kits } from '../../src/pipelines/all.ts';
import { useDatabase } from '../support/database.ts';
import { Installation, type Person, type Reject, type Run } from './installation.ts';
import { offersOf, recordOffers } from './offers.ts';
import { type Subject, sampleSubject, subjects } from './subjects.ts';
import { listKitTables, listTables, type OwnTable, rowsOf } from './tables.ts';

const database = useDatabase();
const home = mkdtempSync(path.join(tmpdir(), 'millrace-conformance-'));
const third = fileURLToPath(new URL('../../examples/measurements/measurements.mjs', import.meta.url));
const thirdSample = fileURLToPath(new URL('../../examples/measurements/measurements.csv', import.meta.url));

/** Of one pipeline alone, while somebody works on it. */
const only = process.env.MILLRACE_CONFORMANCE_ONLY;

/** With the files whose cells may stand in no log. */
const pipelines: readonly { readonly name: string; readonly samples: readonly string[] }[] = [
  ...kits.map(({ name, samples = [] }) => ({ name, samples: samples.map(({ file }) => fileURLToPath(file)) })),
  { name: 'measurements', samples: [thirdSample] },
].filter(({ name }) => only === undefined || name === only);

type Refusal = ReturnType<typeof refusalOf>;

interface Tried {
  readonly person: Person;
  readonly runId: string;
}

/** What was tried with a pipeline before the worker came back. */
interface Trial {
  readonly subject: Subject;
  readonly tables: readonly OwnTable[];
  readonly undisturbed: Tried;
  /** Rows that it offered to each table. */
  readonly offered: Readonly<Record<string, number>>;
  readonly stages: number;
  readonly killed: { readonly point: string; readonly tried: Tried }[];
  readonly cancelled: { readonly where: string; readonly tried: Tried }[];
  readonly held: Tried;
  /** A replay of another run that ended undisturbed, whose worker was killed before it ended. */
  readonly killedReplay: Tried | undefined;
}

const trials = new Map<string, Trial>();
let installation: Installation;

beforeAll(async () => {
  const before = new Set(await listTables(database.admin));
  const chosen = new Map<string, Subject>();
  for (const { name, samples } of pipelines) chosen.set(name, await subjectOf(name, samples));
  const env = Object.assign({}, ...[...chosen.values()].map((subject) => subject.env ?? {}));
  installation = new Installation(database, home, { ...env, PIPELINE_MODULES: third });
  await installation.openApi();
  const added = (await listTables(database.admin)).filter((table) => !before.has(table));
  const owned = new Map<string, readonly OwnTable[]>();
  for (const name of chosen.keys()) {
    const roles = kits.find((kit) => kit.name === name)?.databaseRoles;
    owned.set(name, await listKitTables(database.admin, roles ?? [], roles === undefined ? added : []));
  }
  await recordOffers(database.admin, [...owned.values()].flat());
  const stopWorker = installation.openWorker();
  const started = await Promise.all(
    [...chosen].map(async ([name, subject]) => [name, await start(subject), await start(subject)] as const),
  );
  for (const { person, runId } of started.flatMap(([, one, other]) => [one, other]))
    await installation.ended(person, runId);
  await stopWorker();
  for (const [name, undisturbed, other] of started) {
    const subject = chosen.get(name) as Subject;
    trials.set(name, await tryHard(subject, { undisturbed, other }, owned.get(name) ?? []));
  }
  await installation.loseWorkers();
  installation.openWorker();
});

afterAll(async () => {
  await installation?.close();
  for (const { subject } of trials.values()) await subject.close?.();
  rmSync(home, { recursive: true, force: true });
});

async function subjectOf(name: string, samples: readonly string[]): Promise<Subject> {
  const own = subjects[name];
  if (own !== undefined) return own();
  const sample = kits.find((kit) => kit.name === name)?.samples?.[0]?.name ?? (samples.length > 0 ? name : undefined);
  if (sample === undefined)
    throw new Error(`${name} has neither a sample nor a subject (test/conformance/subjects.ts)`);
  return sampleSubject(sample, samples.flatMap(cellsOf));
}

/** Cells of the file that no other text holds by chance. */
function cellsOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  const cells = lines.slice(Math.ceil(lines.length / 2)).flatMap((line) => line.split(/[,;\t]/));
  const told = cells.map((cell) => cell.replaceAll('"', '').trim());
  return [...new Set(told.filter((cell) => cell.length >= 8 && /[a-z]/i.test(cell) && /[\s@\d]/.test(cell)))];
}

/** Each run in a tenant of its own, so that what one left behind is nothing to another. */
async function start(subject: Subject): Promise<Tried> {
  const person = await installation.newPerson();
  return { person, runId: await subject.start(installation, person) };
}

/** Kills, stops, cancels and holds at every boundary of every stage; nobody works in between. */
async function tryHard(
  subject: Subject,
  { undisturbed, other }: { readonly undisturbed: Tried; readonly other: Tried },
  tables: readonly OwnTable[],
): Promise<Trial> {
  const offered = await offersOf(database.admin, tables, undisturbed.person.tenantId);
  const { rows } = await database.admin.query<{ stages: number }>(
    'select count(*)::int as stages from engine.attempts where run_id = $1',
    [undisturbed.runId],
  );
  const stages = rows[0]?.stages ?? 0;
  const killed: Trial['killed'] = [];
  const cancelled: Trial['cancelled'] = [];
  const kill = async (point: string) => {
    const tried = await start(subject);
    await installation.workUntilKilled(point);
    return { point, tried };
  };
  killed.push(await kill('commit.after_commit:1'));
  for (let stage = 1; stage <= stages; stage += 1) {
    killed.push(await kill(`stage.begin:${stage}`), await kill(`finish.before_commit:${stage}`));
    const passed = await kill(`finish.after_commit:${stage}`);
    // Between two stages it waits, and any worker would take it.
    if (stage === stages) killed.push(passed);
    else cancelled.push(await cancel(`after stage ${stage}`, passed.tried));
    const tried = await start(subject);
    const goOn = await installation.workUntilStopped(`stage.begin:${stage}`);
    cancelled.push(await cancel(`at work in stage ${stage}`, tried));
    await goOn();
  }
  cancelled.push(await cancel('while it waited', await start(subject)));
  const held = await start(subject);
  await installation.call(held.person, 'POST', `/v1/runs/${held.runId}/hold`);
  const killedReplay = await killReplay(other);
  return { subject, tables, undisturbed, offered, stages, killed, cancelled, held, killedReplay };
}

async function killReplay(tried: Tried): Promise<Tried | undefined> {
  const { rejects, pipeline } = await installation.run(tried.person, tried.runId);
  if (rejects.total === 0 || !replaysRejects(pipeline)) return undefined;
  const { run_id: runId } = await replay(tried);
  await installation.workUntilKilled('finish.before_commit:1');
  return { person: tried.person, runId };
}

/** All refused rows, as they are. */
function replay({ person, runId }: Tried): Promise<{ run_id: string; rows: number }> {
  return installation.call(person, 'POST', `/v1/runs/${runId}/replay`, { uncorrected: true });
}

/** What is wrong with which row; a replay has lines and ids of its own, and writes a cell that was missing as an empty one. */
function refusalOf({ code, column, value, raw }: Reject) {
  return { code, column, value, cells: Object.fromEntries(Object.entries(raw).filter(([, cell]) => cell)) };
}

/** A line that could not be parsed becomes a row when it is replayed, which may be wrong for a reason of its own. */
function isKnownRefusal(now: Refusal, before: readonly Refusal[]): boolean {
  return before.some(
    (was) => isDeepStrictEqual(was, now) || (was.code === 'parse_error' && isDeepStrictEqual(was.cells, now.cells)),
  );
}

async function cancel(where: string, tried: Tried): Promise<{ where: string; tried: Tried }> {
  await installation.call(tried.person, 'POST', `/v1/runs/${tried.runId}/cancel`);
  return { where, tried };
}

/** The tools are made of the kit's host, which is not asked for anything before they are used. */
function offersUndo(kit: (typeof kits)[number] | undefined): boolean {
  return kit?.actions?.({} as never).undo !== undefined;
}

function replaysRejects(name: string): boolean {
  const kit = kits.find((each) => each.name === name);
  return kit === undefined || kit.rejects !== undefined;
}

/** What must not depend on what happened on the way. Refused rows are counted in their table, where a stage that begins again leaves them twice. */
function outcomeOf({ status, phase, receipt, rejects }: Run) {
  return { status, phase, read: receipt?.read, outcomes: receipt?.outcomes, rejects: rejects.total };
}

const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

describe.each(pipelines)('the pipeline $name', ({ name }) => {
  const trial = () => trials.get(name) as Trial;
  const undisturbed = () => installation.run(trial().undisturbed.person, trial().undisturbed.runId);
  const end = ({ person, runId }: Tried) => installation.ended(person, runId);
  const rows = ({ person }: Tried) => rowsOf(database.admin, trial().tables, person.tenantId);

  it('reads its sample to the end, with a receipt that adds up and that a recount confirms', async () => {
    const run = await undisturbed();
    expect(run.phase).toBe('done');
    expect(run.receipt?.read).toBeGreaterThan(0);
    expect(sumOf(run.receipt?.outcomes ?? {})).toBe(run.receipt?.read);
    const { person, runId } = trial().undisturbed;
    expect(await installation.call(person, 'POST', `/v1/runs/${runId}/verify`)).toMatchObject({ matches: true });
  });

  it('ends as undisturbed when its worker is killed at a boundary of any stage, with the same rows', async () => {
    const expected = { ...outcomeOf(await undisturbed()), rows: await rows(trial().undisturbed) };
    expect(trial().killed.length).toBeGreaterThanOrEqual(4);
    expect(Object.keys(expected.rows).length).toBeGreaterThan(0);
    for (const { point, tried } of trial().killed)
      expect([point, { ...outcomeOf(await end(tried)), rows: await rows(tried) }]).toEqual([point, expected]);
  });

  it('goes on from its checkpoint when its worker is killed: it offers no row twice', async () => {
    const { subject, tables, offered, killed } = trial();
    const isOnce = ([table]: readonly [string, number]) => !subject.notesOfAttempts?.includes(table);
    const once = (counts: Readonly<Record<string, number>>) =>
      Object.fromEntries(Object.entries(counts).filter(isOnce));
    expect(sumOf(once(offered))).toBeGreaterThan(0);
    for (const { point, tried } of killed) {
      await end(tried);
      const again = await offersOf(database.admin, tables, tried.person.tenantId);
      expect([point, once(again)]).toEqual([point, once(offered)]);
    }
  });

  it('stays cancelled wherever it was cancelled, and its retry ends as undisturbed', async () => {
    expect(trial().cancelled.length).toBeGreaterThanOrEqual(2);
    for (const { where, tried } of trial().cancelled) {
      const { phase, error } = await end(tried);
      expect([where, phase, error?.code]).toEqual([where, 'failed', 'run_cancelled']);
    }
    const { person, runId } = (trial().cancelled.at(-1) as Trial['cancelled'][number]).tried;
    const retry = await installation.call<{ run_id: string }>(person, 'POST', `/v1/runs/${runId}/retry`, {});
    expect(outcomeOf(await end({ person, runId: retry.run_id }))).toEqual(outcomeOf(await undisturbed()));
  });

  it('waits while it is held, and goes on when it is let go', async () => {
    const { held, killed } = trial();
    for (const { tried } of killed) await end(tried);
    expect((await installation.run(held.person, held.runId)).phase).toBe('waiting');
    await installation.call(held.person, 'POST', `/v1/runs/${held.runId}/resume`);
    expect(outcomeOf(await end(held))).toEqual(outcomeOf(await undisturbed()));
  });

  const kit = kits.find((each) => each.name === name);
  it.runIf(replaysRejects(name))(
    'replays what it refused: each row is refused again for the same reason or stored, killed or not',
    async () => {
      const { person, runId } = trial().undisturbed;
      const { rejects } = await undisturbed();
      expect(rejects.total).toBeGreaterThan(0);
      const refused = (await installation.rejects(person, runId)).map(refusalOf);
      expect(refused).toHaveLength(rejects.total);
      const { run_id: replayed, rows: taken } = await replay(trial().undisturbed);
      expect(taken).toBe(rejects.total);
      const run = await end({ person, runId: replayed });
      expect([run.receipt?.read, sumOf(run.receipt?.outcomes ?? {})]).toEqual([taken, taken]);
      // A row that is wrong by itself stays wrong; one that was refused beside another may be stored now.
      const again = (await installation.rejects(person, replayed)).map(refusalOf);
      expect(again.length).toBeGreaterThan(0);
      expect(again.filter((refusal) => !isKnownRefusal(refusal, refused))).toEqual([]);
      expect(run.receipt?.outcomes.rejected).toBe(again.length);
      // A consumer of the event that the replay ended settles them.
      for (const { status, replayed_by: by } of await installation.settledRejects(person, runId))
        expect([status, by]).toEqual(['resolved', replayed]);
      const killed = trial().killedReplay as Tried;
      expect(outcomeOf(await end(killed))).toEqual(outcomeOf(run));
      expect((await installation.rejects(killed.person, killed.runId)).map(refusalOf)).toEqual(again);
    },
  );

  it.runIf(kit?.rows !== undefined)(
    'says how its file was read, which column is which field, and what became of each row',
    async () => {
      const { person, runId } = trial().undisturbed;
      const ask = <T>(what: string) => installation.call<T>(person, 'GET', `/v1/runs/${runId}/${what}`);
      const reading = await ask<{ header: string[]; sample: unknown[] }>('reading');
      expect(reading.header.length).toBeGreaterThan(1);
      expect(reading.sample.length).toBeGreaterThan(0);
      const mapping = await ask<{ columns: { header: string; field: string | null }[] }>('mapping');
      expect(mapping.columns.map(({ header }) => header)).toEqual(reading.header);
      expect(mapping.columns.some(({ field }) => field !== null)).toBe(true);
      const { data } = await ask<{ data: { outcome: string }[] }>('rows?limit=200');
      expect(data.length).toBeGreaterThan(0);
      const { receipt } = await undisturbed();
      for (const { outcome } of data) expect(Object.keys(receipt?.outcomes ?? {})).toContain(outcome);
    },
  );

  it.runIf(offersUndo(kit))('is undone as it announces, and once', async () => {
    const { person, runId } = trial().held;
    await end(trial().held);
    const undo = (body: object) =>
      installation.call<{ run_id: string; counts: Record<string, number> }>(
        person,
        'POST',
        `/v1/runs/${runId}/undo`,
        body,
      );
    const before = await rows(trial().held);
    const { counts: announced } = await undo({ dry_run: true });
    expect(await rows(trial().held)).toEqual(before);
    const undone = await end({ person, runId: (await undo({})).run_id });
    expect([undone.phase, undone.receipt]).toEqual(['done', { read: sumOf(announced), outcomes: announced }]);
    expect(sumOf(before) - sumOf(await rows(trial().held))).toBeGreaterThanOrEqual(announced.removed ?? 0);
    expect(await installation.call(person, 'POST', `/v1/runs/${undone.run_id}/verify`)).toMatchObject({
      matches: true,
    });
    await expect(undo({})).rejects.toThrow('run_undone');
    expect((await installation.run(person, runId)).actions).toEqual([]);
  });

  it('shows its rows to their tenant and to nobody else', async () => {
    const { tables, undisturbed: mine, held: other } = trial();
    expect(tables.length).toBeGreaterThan(0);
    expect(tables.filter(({ is_forced: isForced }) => !isForced)).toEqual([]);
    const seen = async (as: string) => {
      const client = await database.app.connect();
      try {
        await client.query('begin');
        await client.query(`select set_config('millrace.tenant_id', $1, true)`, [as]);
        const readable = tables.filter((table) => table.is_readable);
        return sumOf(await rowsOf(client, readable, mine.person.tenantId));
      } finally {
        await client.query('rollback');
        client.release();
      }
    };
    expect(await seen(mine.person.tenantId)).toBeGreaterThan(0);
    expect(await seen(other.person.tenantId)).toBe(0);
  });

  it('was claimed, released and cancelled in every state that it passes', async () => {
    const { rows: missing } = await database.admin.query<{ arrow: string }>(
      `with taken as (select distinct from_status, to_status from test_record.moves where pipeline = $1),
            needed as (
              select t.from_status, t.event, t.to_status
              from engine.transitions t
              join engine.states s on s.pipeline = t.pipeline and s.status = t.from_status
              where t.pipeline = $1 and t.from_status in (select from_status from taken)
                and (t.event = case s.phase when 'waiting' then 'claim' else 'release' end
                     or t.event = case when exists (select from engine.transitions c where c.pipeline = t.pipeline
                                                     and c.from_status = t.from_status and c.event = 'cancel')
                                       then 'cancel' else 'fail' end))
       select from_status || ' → ' || to_status as arrow from needed where (from_status, to_status) not in (select * from taken)`,
      [name],
    );
    expect(missing).toEqual([]);
    const { rows: taken } = await database.admin.query(
      'select distinct from_status, to_status from test_record.moves where pipeline = $1',
      [name],
    );
    expect(taken.length).toBeGreaterThanOrEqual(5);
  });

  it('writes no cell of its sample and no secret into a log', () => {
    const { secrets } = trial().subject;
    expect(secrets.length).toBeGreaterThan(0);
    const log = installation.log();
    expect(log.length).toBeGreaterThan(1_000);
    expect(secrets.filter((word) => log.includes(word))).toEqual([]);
  });
});
