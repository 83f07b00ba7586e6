// Judges a simulated week of syncs from what the fake Airbyte saw and what the ledger says. Knows the plans' numbers by itself, not
// from the product.
//
// lost: a window without a sync · duplicated: a sync too soon after the one before · wrong: a run and its Airbyte job do not belong
// to each other one to one · orphans: jobs at Airbyte that no run knows · stuck: work that did not start in its step, runs that
// never ended, and tenants that were kept waiting longer than the bound.
import type { Counts } from './auditor.ts';

export interface WatchedConnector {
  readonly tenantId: string;
  readonly connectorId: string;
  readonly plan: string;
  /** When the plan was lowered to free, by the simulated clock. */
  readonly loweredAt?: number;
  /** Jobs at Airbyte, oldest first, by the simulated clock. */
  readonly jobs: readonly { readonly id: string; readonly at: number }[];
}

export interface RunFact {
  readonly connector_id: string;
  readonly tenant_id: string;
  readonly status: string;
  readonly airbyte_job_id: string | null;
  /** More than one attempt: its start may be late by the pauses between tries. */
  readonly attempts: number;
  /** Simulated time in ms; the wait itself is real. */
  readonly created_ms: number;
  readonly wait_ms: number | null;
}

export interface WeekFacts {
  readonly from: number;
  readonly to: number;
  readonly outage: { readonly from: number; readonly to: number };
  readonly stepMs: number;
  readonly connectors: readonly WatchedConnector[];
  readonly runs: readonly RunFact[];
  /** Runs that were due and not started in their step. */
  readonly unstarted: number;
}

export interface WeekVerdict {
  readonly counts: Counts;
  readonly windows: Readonly<
    Record<string, { connectors: number; syncs: number; shortestGapMin: number; longestGapMin: number }>
  >;
  /** The longest that the first of a tenant's due syncs waited while others were due too. */
  readonly longestFirstWaitMs: number;
  readonly findings: readonly string[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const planHours: Readonly<Record<string, number>> = { free: 24, growth: 6, enterprise: 1 };
/** A start may be 5 % of the interval late, no more, and never early. */
const TOLERANCE = 0.05;
/** What the pauses between a run's tries may add. */
const RETRIES_MS = 40 * MINUTE;
/** Firing, queueing and asking Airbyte, within a step. */
const UNDER_WAY_MS = 2 * MINUTE;
/** No tenant waits longer for the first of its due syncs, however many others have: real time. */
const STARVATION_MS = 5_000;
const MAX_FINDINGS = 20;

export function auditWeek(facts: WeekFacts): WeekVerdict {
  const counts = { lost: 0, duplicated: 0, wrong: 0, stuck: facts.unstarted, orphans: 0, zombieWrites: 0 };
  const findings: string[] = [];
  const find = (what: keyof typeof counts, text: string) => {
    counts[what] += 1;
    if (findings.length < MAX_FINDINGS) findings.push(`${what}: ${text}`);
  };
  const runOf = pairUp(facts, find);
  const windows: Record<string, { connectors: number; syncs: number; shortestGapMin: number; longestGapMin: number }> =
    {};
  for (const each of facts.connectors) {
    const gaps = checkCadence(each, facts, runOf, find);
    const plan = each.loweredAt === undefined ? each.plan : `${each.plan} lowered to free`;
    windows[plan] ??= { connectors: 0, syncs: 0, shortestGapMin: Number.POSITIVE_INFINITY, longestGapMin: 0 };
    const sum = windows[plan];
    sum.connectors += 1;
    sum.syncs += each.jobs.length;
    sum.shortestGapMin = Math.min(sum.shortestGapMin, ...gaps.map(Math.round));
    sum.longestGapMin = Math.max(sum.longestGapMin, ...gaps.map(Math.round));
  }
  const longestFirstWaitMs = checkWaits(facts, find);
  return { counts, windows, longestFirstWaitMs, findings };
}

type Find = (what: 'lost' | 'duplicated' | 'wrong' | 'stuck' | 'orphans', text: string) => void;

/** Every job belongs to one run, and every run that succeeded to one job. Returns the runs by their job. */
function pairUp({ connectors, runs }: WeekFacts, find: Find): Map<string, RunFact> {
  const runOf = new Map<string, RunFact>();
  for (const run of runs) {
    // A retry may be planned when the week ends.
    if (!['success', 'failed'].includes(run.status)) find('stuck', `a run of ${run.connector_id} is ${run.status}`);
    if (run.airbyte_job_id === null) {
      if (run.status === 'success') find('wrong', `a run of ${run.connector_id} succeeded without a job`);
      continue;
    }
    if (runOf.has(run.airbyte_job_id)) find('wrong', `two runs claim job ${run.airbyte_job_id}`);
    runOf.set(run.airbyte_job_id, run);
  }
  const known = new Set<string>();
  for (const { connectorId, jobs } of connectors) {
    for (const { id } of jobs) {
      known.add(id);
      const owner = runOf.get(id);
      if (owner === undefined) find('orphans', `nobody knows job ${id} of ${connectorId}`);
      else if (owner.connector_id !== connectorId) find('wrong', `job ${id} belongs to another connector's run`);
    }
  }
  for (const id of runOf.keys()) if (!known.has(id)) find('wrong', `Airbyte has no job ${id}`);
  return runOf;
}

/** Every gap between two starts, and those to the edges of the week. Returns the inner ones, in minutes. */
function checkCadence(
  each: WatchedConnector,
  facts: WeekFacts,
  runOf: ReadonlyMap<string, RunFact>,
  find: Find,
): number[] {
  const intervalAt = (ms: number) =>
    HOUR * (planHours[each.loweredAt !== undefined && ms > each.loweredAt ? 'free' : each.plan] ?? 0);
  const isRetried = (id: string) => (runOf.get(id)?.attempts ?? 1) > 1;
  const edges = [
    { at: facts.from, isRetried: false },
    ...each.jobs.map(({ at, id }) => ({ at, isRetried: isRetried(id) })),
    // A retry may be under way when the week ends.
    {
      at: facts.to,
      isRetried: facts.runs.some((run) => run.connector_id === each.connectorId && run.status === 'failed'),
    },
  ];
  const gaps: number[] = [];
  for (const [index, next] of edges.entries()) {
    const before = edges[index - 1];
    if (before === undefined) continue;
    const gap = next.at - before.at;
    const isInner = index > 1 && index < edges.length - 1;
    const away = before.at <= facts.outage.to && next.at >= facts.outage.from ? facts.outage.to - facts.outage.from : 0;
    const slack = facts.stepMs + UNDER_WAY_MS + (next.isRetried ? RETRIES_MS : 0) + away;
    // Lowered in between: the longer of the two intervals holds.
    const longest = Math.max(intervalAt(before.at), intervalAt(next.at)) * (1 + TOLERANCE) + slack;
    const minutes = Math.round(gap / MINUTE);
    if (gap > longest) find('lost', `${each.plan} ${each.connectorId}: ${minutes} min without a sync`);
    if (!isInner) continue;
    gaps.push(gap / MINUTE);
    // Measured at Airbyte: the start of the first was known a moment after the trigger.
    const shortest = intervalAt(next.at) - (before.isRetried ? UNDER_WAY_MS : MINUTE);
    if (gap < shortest) find('duplicated', `${each.plan} ${each.connectorId}: two syncs within ${minutes} min`);
  }
  return gaps;
}

/** Syncs that became due together are a batch; of each batch, a tenant's first may not wait longer than the bound. */
function checkWaits({ runs, stepMs }: WeekFacts, find: Find): number {
  const first = new Map<string, number>();
  for (const run of runs) {
    if (run.wait_ms === null) continue;
    const batch = `${run.tenant_id} ${Math.round(run.created_ms / (stepMs / 2))}`;
    first.set(batch, Math.min(first.get(batch) ?? Number.POSITIVE_INFINITY, run.wait_ms));
  }
  for (const [batch, waitMs] of first)
    if (waitMs > STARVATION_MS)
      find('stuck', `tenant ${batch.split(' ')[0]} waited ${Math.round(waitMs)} ms for its first sync`);
  return Math.round(Math.max(0, ...first.values()));
}
