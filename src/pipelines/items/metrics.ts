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
/** By tenant and provider: nobody is told whom others ask. */
const throttled = new Map<string, Map<string, number>>();
const MAX_TENANTS = 1_000;
const last: { itemsSec: number | null; waitMs: number | null } = { itemsSec: null, waitMs: null };

/** A share that has become so small is none: it would shrink for ever. */
const NOTHING = 1e-6;

function smoothed(before: number | undefined, value: number): number {
  const after = before === undefined ? value : before + SMOOTHING * (value - before);
  return Math.abs(after) < NOTHING ? 0 : after;
}

function smooth(name: string, value: number): number {
  const after = smoothed(averages.get(name), value);
  averages.set(name, after);
  return after;
}

function waited(waitMs: number): void {
  last.waitMs = waitMs;
  poolWait.set(waitMs);
}

export function countIngested(rows: number, ms: number, waitMs: number): void {
  ingestMs.observe(ms);
  ingestRows.inc(rows);
  latency.set(smooth('db', ms));
  waited(waitMs);
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
  last.itemsSec = slice.items / Math.max(0.001, slice.ms / 1_000);
  perSecond.set(last.itemsSec);
  errorRate.set(smooth('errors', slice.failed / slice.items));
  notFoundRate.set(smooth('not_found', slice.notFound / slice.items));
  latency.set(smooth('db', slice.commitMs));
  waited(slice.waitMs);
}

export function countRequest(tenantId: string, provider: string, isThrottled: boolean): void {
  if (providers.size < MAX_PROVIDERS) providers.add(provider);
  const name = providers.has(provider) ? provider : 'other';
  const share = isThrottled ? 1 : 0;
  // The usual case, item after item: nothing was refused, and nothing changes.
  if (share === 0 && averages.get(`throttle ${name}`) === 0 && throttled.get(tenantId)?.get(provider) === 0) return;
  throttleRate.set({ provider: name }, smooth(`throttle ${name}`, share));
  if (throttled.size >= MAX_TENANTS && !throttled.has(tenantId)) throttled.clear();
  const own = throttled.get(tenantId) ?? new Map<string, number>();
  throttled.set(tenantId, own);
  if (own.has(provider) || own.size < MAX_PROVIDERS) own.set(provider, smoothed(own.get(provider), share));
}

/** What this process has seen itself. */
export function processFigures(tenantId: string) {
  return {
    items_sec: last.itemsSec,
    db_latency_ewma: averages.get('db') ?? null,
    pool_wait_ms: last.waitMs,
    api_throttle_rate: Object.fromEntries(throttled.get(tenantId) ?? []),
  };
}
