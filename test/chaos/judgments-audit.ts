// What must hold of court judgments whatever was killed: each accepted batch ended once and told it once, its receipt and the fate of each of
// its rows are what the reference says, every case is stored once with the newest amount and was written no oftener than there was news,
// every plaintiff was founded once, and nothing of a delivery that was not accepted is left.
import type { Counts } from './auditor.ts';
import { type Find, openFindings } from './findings.ts';
import type { Ground } from './ground.ts';
import type { ExpectedBatch, ExpectedCase } from './judgments-reference.ts';

type Asking = Pick<Ground, 'ask'>;

export interface AcceptedRun {
  readonly runId: string;
  readonly expected: ExpectedBatch;
}

export interface JudgedTenant {
  readonly tenantId: string;
  readonly runs: readonly AcceptedRun[];
  readonly cases: ReadonlyMap<string, ExpectedCase>;
  readonly people: ReadonlySet<string>;
}

export async function auditJudgments(
  ground: Asking,
  tenants: readonly JudgedTenant[],
): Promise<{ counts: Counts; findings: string[] }> {
  const { counts, findings, find } = openFindings();
  for (const tenant of tenants) {
    await judgeRuns(ground, tenant, find);
    await judgeCases(ground, tenant, find);
    await judgePeople(ground, tenant, find);
    await judgeLeftovers(ground, tenant, find);
  }
  const [left] = await ground.ask<{ leases: number; ready: number }>(
    `select (select count(*)::int from engine.leases) as leases, (select count(*)::int from engine.ready) as ready`,
  );
  find('orphans', (left?.leases ?? 0) + (left?.ready ?? 0), `leases or queue rows are left: ${JSON.stringify(left)}`);
  return { counts, findings };
}

interface EndedRun {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
  readonly receipt: {
    readonly read: number;
    readonly outcomes: Readonly<Record<string, number>>;
    readonly plaintiffs: number;
  } | null;
  readonly ends: number;
  readonly told: number;
  readonly staged: number;
}

async function judgeRuns(ground: Asking, { tenantId, runs, people }: JudgedTenant, find: Find): Promise<void> {
  const found = await ground.ask<EndedRun>(
    `select r.id, r.status, r.phase, r.receipt,
            (select count(*)::int from engine.attempts a where a.run_id = r.id and a.outcome = 'complete') as ends,
            (select count(*)::int from engine.events e where e.run_id = r.id and e.type = 'run.done') as told,
            (select count(*)::int from intake.simplicity_validated_rows s where s.batch_id = r.id) as staged
     from engine.runs r where r.tenant_id = $1 and r.pipeline = 'judgments'`,
    [tenantId],
  );
  const byId = new Map(found.map((run) => [run.id, run]));
  const accepted = new Set(runs.map(({ runId }) => runId));
  const extra = found.filter(({ id }) => !accepted.has(id)).length;
  find('duplicated', extra, `tenant ${tenantId} has runs that nobody was told of`);
  let founded = 0;
  for (const { runId, expected } of runs) {
    const run = byId.get(runId);
    if (run === undefined) find('lost', 1, `run ${runId} is gone`);
    else if (run.phase === 'waiting' || run.phase === 'active') find('stuck', 1, `run ${runId} is ${run.status}`);
    else if (run.status !== 'completed' || run.receipt === null) find('lost', 1, `run ${runId} ended ${run.status}`);
    else {
      founded += run.receipt.plaintiffs;
      find(run.ends === 0 ? 'lost' : 'duplicated', Math.abs(run.ends - 1), `run ${runId} has ${run.ends} ends`);
      find(
        run.told === 0 ? 'lost' : 'duplicated',
        Math.abs(run.told - 1),
        `run ${runId} told its end ${run.told} times`,
      );
      const [said, wanted] = [
        inOrder(run.receipt.read, run.receipt.outcomes),
        inOrder(expected.read, expected.outcomes),
      ];
      find('wrong', said === wanted ? 0 : 1, `run ${runId}: its receipt says ${said}, expected ${wanted}`);
      const staged = run.staged - expected.rows.size;
      find(staged < 0 ? 'lost' : 'duplicated', Math.abs(staged), `run ${runId}: ${run.staged} rows are staged`);
      await judgeRows(ground, runId, expected, find);
      await judgeRejects(ground, runId, expected, find);
    }
  }
  find('wrong', Math.abs(founded - people.size), `the receipts of ${tenantId} tell ${founded} new plaintiffs`);
}

function inOrder(read: number, outcomes: Readonly<Record<string, number>>): string {
  return JSON.stringify([read, Object.entries(outcomes).sort()]);
}

/** A row that a worker stored after it had lost its batch is told twice: once by it, once by its successor. */
async function judgeRows(ground: Asking, runId: string, { rows }: ExpectedBatch, find: Find): Promise<void> {
  const ranges = await ground.ask<{ outcome: string; first: number; next: number }>(
    `select o.outcome, lower(r) as first, upper(r) as next
     from engine.row_outcomes o cross join lateral unnest(o.rows) r where o.run_id = $1`,
    [runId],
  );
  const told = new Map<number, string>();
  let [twice, wrong] = [0, 0];
  for (const { outcome, first, next } of ranges)
    for (let row = first; row < next; row++) {
      if (told.has(row)) twice++;
      told.set(row, outcome);
      if (rows.get(row) !== outcome) wrong++;
    }
  const missing = [...rows.keys()].filter((row) => !told.has(row)).length;
  find('zombieWrites', twice, `run ${runId}: rows were stored twice`);
  find('wrong', wrong, `run ${runId}: rows ended otherwise`);
  find('lost', missing, `run ${runId}: the fate of rows is not told`);
}

async function judgeRejects(ground: Asking, runId: string, { rejects }: ExpectedBatch, find: Find): Promise<void> {
  const found = await ground.ask<{ code: string; n: number }>(
    `select code, count(*)::int as n from engine.rejects where run_id = $1 group by code`,
    [runId],
  );
  const byCode = new Map(found.map(({ code, n }) => [code, n]));
  for (const code of new Set([...byCode.keys(), ...Object.keys(rejects)])) {
    const more = (byCode.get(code) ?? 0) - (rejects[code] ?? 0);
    find(more < 0 ? 'lost' : 'duplicated', Math.abs(more), `run ${runId}: ${byCode.get(code) ?? 0} rejects of ${code}`);
  }
}

interface StoredCase {
  readonly name: string;
  readonly county: string | null;
  readonly amount: string | null;
  readonly defendant: string | null;
  readonly person: string | null;
  readonly version: number;
}

async function judgeCases(ground: Asking, { tenantId, cases }: JudgedTenant, find: Find): Promise<void> {
  const stored = await ground.ask<StoredCase>(
    `select j.case_number as name, j.county, j.judgment_amount::text as amount, j.defendant_name as defendant,
            p.dedupe_key as person, j.version
     from judgments j left join plaintiffs p on p.tenant_id = j.tenant_id and p.id = j.plaintiff_id
     where j.tenant_id = $1`,
    [tenantId],
  );
  const seen = new Set(stored.map(({ name }) => name));
  const same = (row: StoredCase, expected: ExpectedCase | undefined) =>
    expected !== undefined &&
    row.amount === expected.amount &&
    row.county === expected.county &&
    row.defendant === expected.defendant &&
    row.person === expected.person;
  find('lost', [...cases.keys()].filter((name) => !seen.has(name)).length, `cases of ${tenantId} are missing`);
  find('duplicated', stored.length - seen.size, `cases of ${tenantId} are there twice`);
  find(
    'wrong',
    stored.filter((row) => !same(row, cases.get(row.name))).length,
    `cases of ${tenantId} say something else`,
  );
  const versions = stored.map(({ name, version }) => version - (cases.get(name)?.version ?? version));
  find('zombieWrites', versions.filter((more) => more > 0).length, `cases of ${tenantId} were written too often`);
  find('lost', versions.filter((more) => more < 0).length, `cases of ${tenantId} were not written each time`);
}

async function judgePeople(ground: Asking, { tenantId, people }: JudgedTenant, find: Find): Promise<void> {
  const stored = await ground.ask<{ key: string; cases: number }>(
    `select p.dedupe_key as key,
            (select count(*)::int from judgments j where j.tenant_id = p.tenant_id and j.plaintiff_id = p.id) as cases
     from plaintiffs p where p.tenant_id = $1`,
    [tenantId],
  );
  const keys = new Set(stored.map(({ key }) => key));
  find('lost', [...people].filter((key) => !keys.has(key)).length, `plaintiffs of ${tenantId} are missing`);
  find('duplicated', stored.length - people.size, `${tenantId} has ${stored.length} plaintiffs, not ${people.size}`);
  find('orphans', stored.filter(({ cases }) => cases === 0).length, `plaintiffs of ${tenantId} have no case`);
}

/** The bytes of a delivery that was skipped or refused are gone; those of an accepted one stay. */
async function judgeLeftovers(ground: Asking, { tenantId, runs }: JudgedTenant, find: Find): Promise<void> {
  const [blobs] = await ground.ask<{ kept: number }>(
    `select count(*)::int as kept from engine.blobs where tenant_id = $1 and deleted_at is null`,
    [tenantId],
  );
  const more = (blobs?.kept ?? 0) - runs.length;
  find(more < 0 ? 'lost' : 'orphans', Math.abs(more), `${tenantId} has ${blobs?.kept} files of ${runs.length} batches`);
}
