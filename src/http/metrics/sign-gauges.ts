// Gauges of whether work moves on: served by every process, because each may be the only one that is scraped. What is read from the
// database is cheap and of the whole installation; the rest is of this process. No label names a tenant, a connector or a run.
import { Counter, Histogram, register } from 'prom-client';
import type { Engine } from '../../engine/engine.ts';
import {
  readConsumerSigns,
  readOutboxSigns,
  readSigns,
  readTableSigns,
  readXminAge,
} from '../../engine/reads/read-signs.ts';
import type { Vitals } from '../../engine/vitals.ts';
import { gauge } from '../gauge.ts';

const noEnd = gauge(
  'millrace_no_end_seconds',
  'How long there has been work while no run ended or moved; 0 without work.',
);
const ownerless = gauge(
  'millrace_ownerless_leases',
  'Runs held by a worker that has ended, gone silent or is unknown.',
);
const allEnds = gauge(
  'millrace_ends_waiting_all',
  'Ends of attempts that no worker has written yet, of all workers as of their last heartbeat.',
);
const oldestEnd = gauge('millrace_oldest_end_seconds', 'Age of the oldest of those.');
const ownEnds = gauge('millrace_ends_waiting', 'Ends of attempts that this process has not written yet.');
const ownOldestEnd = gauge('millrace_ends_waiting_oldest_seconds', 'Age of the oldest of those.');
const outbox = gauge('millrace_outbox_events', 'Events that have no position yet.');
const outboxAge = gauge('millrace_outbox_oldest_seconds', 'Age of the oldest of those.');
const behind = gauge('millrace_consumer_lag_events', 'Events that a consumer has not read yet.', ['consumer']);
const behindAge = gauge('millrace_consumer_lag_seconds', 'Age of the oldest of those.', ['consumer']);
const deadRows = gauge('millrace_table_dead_rows', 'Dead rows of the tables that every run uses.', ['table']);
const liveRows = gauge('millrace_table_live_rows', 'Live rows of those tables.', ['table']);
const xminAge = gauge(
  'millrace_xmin_age_transactions',
  'Age of the oldest snapshot that keeps dead rows from being removed.',
);
const takeovers =
  (register.getSingleMetric('millrace_takeovers_total') as Counter | undefined) ??
  new Counter({ name: 'millrace_takeovers_total', help: 'Runs that this process took over from silent workers.' });
const claims =
  (register.getSingleMetric('millrace_claim_seconds') as Histogram | undefined) ??
  new Histogram({
    name: 'millrace_claim_seconds',
    help: 'How long a claim took, also one that found nothing.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
const watched = new WeakSet<Vitals>();

/** From now on the claims of this process are counted. Twice is once. */
export function watchVitals(vitals: Vitals): void {
  if (watched.has(vitals)) return;
  watched.add(vitals);
  vitals.onClaim((seconds) => claims.observe(seconds));
}

export async function refreshSignGauges({ pools, vitals }: Pick<Engine, 'pools' | 'vitals'>): Promise<void> {
  watchVitals(vitals);
  refreshOwn(vitals);
  const db = pools.control;
  const signs = await readSigns(db);
  noEnd.set(signs.no_end_s ?? 0);
  ownerless.set(signs.ownerless);
  allEnds.set(signs.ends_waiting);
  oldestEnd.set(signs.oldest_end_s ?? 0);
  const { waiting, oldest_s: oldestS } = await readOutboxSigns(db);
  outbox.set(waiting);
  outboxAge.set(oldestS ?? 0);
  for (const each of [behind, behindAge]) each.reset();
  for (const { consumer, behind: events, behind_s: seconds } of await readConsumerSigns(db)) {
    behind.set({ consumer }, events);
    behindAge.set({ consumer }, seconds ?? 0);
  }
  for (const { table, live, dead } of await readTableSigns(db)) {
    liveRows.set({ table }, live);
    deadRows.set({ table }, dead);
  }
  xminAge.set(await readXminAge(db));
}

function refreshOwn(vitals: Vitals): void {
  const { endsWaiting, oldestEndMs } = vitals.signs();
  ownEnds.set(endsWaiting);
  ownOldestEnd.set((oldestEndMs ?? 0) / 1_000);
  takeovers.reset();
  takeovers.inc(vitals.takeovers);
}
