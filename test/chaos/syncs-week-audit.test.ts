// The auditor of the simulated week finds each kind of fault when it is planted.
import { expect, it } from 'vitest';
import { auditWeek, type RunFact, type WeekFacts } from './syncs-week-audit.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const nothing = { lost: 0, duplicated: 0, wrong: 0, stuck: 0, orphans: 0, zombieWrites: 0 };

/** Two connectors, one daily and one hourly, on time for two days. */
function goodWeek(): WeekFacts & { runs: RunFact[]; connectors: { jobs: { id: string; at: number }[] }[] } {
  const connector = (plan: string, hours: number, first: number) => {
    const at = Array.from(
      { length: Math.floor((48 - first) / hours) + 1 },
      (_, index) => (first + index * hours) * HOUR,
    );
    const jobs = at.map((ms, index) => ({ id: `${plan}-${index}`, at: ms }));
    return { tenantId: plan, connectorId: plan, plan, jobs };
  };
  const connectors = [connector('free', 24, 5), connector('enterprise', 1, 0.5)];
  const runs = connectors.flatMap(({ connectorId, tenantId, jobs }) =>
    jobs.map(({ id, at }) => ({
      ...{ connector_id: connectorId, tenant_id: tenantId, status: 'success', airbyte_job_id: id, attempts: 1 },
      ...{ created_ms: at, wait_ms: 20 },
    })),
  );
  return { from: 0, to: 48 * HOUR, outage: { from: -2, to: -1 }, stepMs: 10 * MINUTE, connectors, runs, unstarted: 0 };
}

it('a week that was kept has nothing to find', () => {
  const { counts, windows } = auditWeek(goodWeek());
  expect(counts).toEqual(nothing);
  expect(windows.free).toEqual({ connectors: 1, syncs: 2, shortestGapMin: 1_440, longestGapMin: 1_440 });
});

it.each<[string, Partial<typeof nothing>, (week: ReturnType<typeof goodWeek>) => void]>([
  [
    'a daily window that was passed over',
    { lost: 1 },
    ({ connectors, runs }) => {
      connectors[0]?.jobs.pop();
      runs.splice(1, 1);
    },
  ],
  [
    'an hourly window that was passed over',
    { lost: 1 },
    ({ connectors, runs }) => {
      connectors[1]?.jobs.splice(10, 1);
      runs.splice(12, 1);
    },
  ],
  [
    'a sync that came too soon',
    { duplicated: 1 },
    ({ connectors, runs }) => {
      connectors[0]?.jobs.push({ id: 'extra', at: 29.5 * HOUR });
      runs.push({ ...(runs[0] as RunFact), airbyte_job_id: 'extra' });
    },
  ],
  [
    'a job that no run knows',
    { orphans: 1 },
    ({ runs }) => {
      runs[3] = { ...(runs[3] as RunFact), airbyte_job_id: null, status: 'failed' };
    },
  ],
  [
    'a success without a job',
    { orphans: 1, wrong: 1 },
    ({ runs }) => {
      runs[3] = { ...(runs[3] as RunFact), airbyte_job_id: null };
    },
  ],
  [
    'two runs that claim one job',
    { wrong: 1 },
    ({ runs }) => {
      runs.push(runs[5] as RunFact);
    },
  ],
  [
    'a run that never ended',
    { stuck: 1 },
    ({ runs }) => {
      runs[3] = { ...(runs[3] as RunFact), status: 'running' };
    },
  ],
  [
    'a tenant that was kept waiting',
    { stuck: 1 },
    ({ runs }) => {
      runs[0] = { ...(runs[0] as RunFact), wait_ms: 6_000 };
    },
  ],
])('finds %s', (_, expected, plant) => {
  const week = goodWeek();
  plant(week);
  expect(auditWeek(week).counts).toEqual({ ...nothing, ...expected });
});
