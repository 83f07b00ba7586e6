// The specification's figures of this process: how rows come in and how items go out. What all processes share (queue depth, pending) is read from the
// database when somebody asks (sql/read-figures.ts).
import { Counter, Gauge, Histogram, register } from 'prom-client';

function once<T>(name: string, make: () => T): T {
  return (register.getSingleMetric(name) as T | undefined) ?? make();
}

const ingestMs = once(
  'ingest_ms',
  () =>
    new Histogram({
      name: 'ingest_ms',
      help: 'Time of an insert of rows.',
      buckets: [5, 20, 50, 100, 200, 400, 800, 1_600, 5_000],
    }),
);
const ingestRows = once(
  'items_ingested_total',
  () => new Counter({ name: 'items_ingested_total', help: 'Rows stored as items.' }),
);
const latency = once(
  'db_latency_ewma',
  () => new Gauge({ name: 'db_latency_ewma', help: 'Moving average of inserts and commits of items, in ms.' }),
);
const poolWait = once(
  'pool_wait_ms',
  () => new Gauge({ name: 'pool_wait_ms', help: 'How long the last commit of items waited for a connection, in ms.' }),
);
const processed = once(
  'items_processed_total',
  () =>
    new Counter({
      name: 'items_processed_total',
      help: 'Attempts at items that ended, by outcome.',
      labelNames: ['outcome'],
    }),
);
const perSecond = once(
  'items_sec',
  () => new Gauge({ name: 'items_sec', help: 'Items per second of the last slice.' }),
);
const errorRate = once(
  'error_rate',
  () => new Gauge({ name: 'error_rate', help: 'Share of failed attempts, moving average over slices.' }),
);
const notFoundRate = once(
  'not_found_rate',
  () => new Gauge({ name: 'not_found_rate', help: 'Share of items not found, moving average over slices.' }),
);
const throttleRate = once(
  'api_throttle_rate',
  () =>
    new Gauge({
      name: 'api_throttle_rate',
      help: 'Share of requests that the provider refused for now, moving average.',
      labelNames: ['provider'],
    }),
);

const SMOOTHING = 0.2;
const averages = new Map<string, number>();
/** More providers than this are told as "other", so that a scrape stays small. */
const MAX_PROVIDERS = 50;
const providers = new Set<string>();

function smooth(name: string, value: number): number {
  const before = averages.get(name);
  const after = before === undefined ? value : before + SMOOTHING * (value - before);
  averages.set(name, after);
  return after;
}

export function countIngested(rows: number, ms: number, waitMs: number): void {
  ingestMs.observe(ms);
  ingestRows.inc(rows);
  latency.set(smooth('db', ms));
  poolWait.set(waitMs);
}

export interface SliceFigures {
  readonly items: number;
  readonly ms: number;
  readonly commitMs: number;
  readonly waitMs: number;
  readonly failed: number;
  readonly notFound: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

export function countSlice(slice: SliceFigures): void {
  if (slice.items === 0) return;
  for (const [outcome, count] of Object.entries(slice.outcomes)) processed.inc({ outcome }, count);
  perSecond.set(slice.items / Math.max(0.001, slice.ms / 1_000));
  errorRate.set(smooth('errors', slice.failed / slice.items));
  notFoundRate.set(smooth('not_found', slice.notFound / slice.items));
  latency.set(smooth('db', slice.commitMs));
  poolWait.set(slice.waitMs);
}

export function countRequest(provider: string, isThrottled: boolean): void {
  if (providers.size < MAX_PROVIDERS) providers.add(provider);
  const name = providers.has(provider) ? provider : 'other';
  throttleRate.set({ provider: name }, smooth(`throttle ${name}`, isThrottled ? 1 : 0));
}
