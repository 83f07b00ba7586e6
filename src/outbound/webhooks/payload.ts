// Builds the payload of a webhook: ids, states and counts. No cell, file name or person gets in: the payload takes only the fields listed here,
// and those that the kit of a pipeline lists for its own events, and only if they hold a number, a flag, an id or one of our words.

import { doubtMeanings } from '../../contract/doubts.ts';

/** By the type of an event: the fields of its data that may be told. */
export type EventFields = Readonly<Record<string, readonly string[]>>;

/** An event of the outbox, and what the ledger knows of its run. */
export interface ToldEvent {
  readonly event_id: number;
  readonly tenant_id: string;
  readonly run_id: string | null;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
}

export interface RunFacts {
  readonly pipeline: string;
  readonly receipt: Readonly<Record<string, unknown>> | null;
  readonly correlation_id: string | null;
  /** The run whose refused rows it takes. */
  readonly replay_of?: string | null;
}

const fields: ReadonlySet<string> = new Set([
  'pipeline',
  'status',
  'phase',
  'stage',
  'attempt',
  'error_code',
  'count',
  'alert_id',
  'rule',
  'severity',
  'endpoint_id',
  'reason',
  'at',
]);
const ends: ReadonlySet<string> = new Set(['run.done', 'run.failed', 'run.dead']);
const word = /^[\w.:-]{1,100}$/;

/** The header webhook-id: the same for every try of every endpoint. */
export function webhookIdOf(eventId: number | bigint): string {
  return `evt_${eventId}`;
}

export function buildPayload(event: ToldEvent, run: RunFacts | undefined, own: EventFields = {}): string {
  const data: Record<string, unknown> = { tenant_id: event.tenant_id };
  if (event.run_id !== null) data.run_id = event.run_id;
  if (run !== undefined) data.pipeline = run.pipeline;
  if (run?.correlation_id && word.test(run.correlation_id)) data.correlation_id = run.correlation_id;
  if (run?.replay_of && word.test(run.replay_of)) data.replay_of = run.replay_of;
  const told = Object.hasOwn(own, event.type) ? new Set([...fields, ...(own[event.type] ?? [])]) : fields;
  for (const [name, value] of Object.entries(event.data)) if (told.has(name) && isHarmless(value)) data[name] = value;
  const receipt = ends.has(event.type) ? countsOf(run?.receipt ?? null) : undefined;
  if (receipt !== undefined) data.receipt = receipt;
  return JSON.stringify({ type: event.type, timestamp: event.created_at.toISOString(), data });
}

function isHarmless(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && word.test(value));
}

/** What was read and where it went. Control totals stay at home. */
function countsOf(receipt: RunFacts['receipt']): Readonly<Record<string, unknown>> | undefined {
  if (receipt === null || typeof receipt.read !== 'number') return undefined;
  const doubts = numbersIn(receipt.doubts);
  return {
    read: receipt.read,
    outcomes: numbersIn(receipt.outcomes),
    ...(Object.keys(doubts).length === 0 ? {} : { doubts, in_doubt: meaningsOf(doubts) }),
  };
}

/** In words of ours: the messages of doubts quote names and values of the file. */
function meaningsOf(doubts: Readonly<Record<string, number>>): string[] {
  return Object.keys(doubts).map((code) => (doubtMeanings as Readonly<Record<string, string>>)[code] ?? code);
}

function numbersIn(counts: unknown): Record<string, number> {
  return Object.fromEntries(
    Object.entries((counts ?? {}) as Record<string, unknown>).filter(
      (each): each is [string, number] => word.test(each[0]) && typeof each[1] === 'number',
    ),
  );
}
