// The reporter reads the outbox and reports the ends of batches, in the log and as alerts. It runs in the transaction that moves
// its offset, so an alert is raised once; a log line may be repeated after a crash. Lines hold exactly the fields of the
// specification and never a cell: an error is told by its code and its catalogued sentence without parameters.
import { entryOf, isErrorCode } from '../../contract/errors/catalogue.ts';
import { sentence } from '../../contract/errors/millrace-error.ts';
import type { ConsumerOptions } from '../../engine/consumer.ts';
import { tryTake } from '../../engine/rate-limits.ts';
import { attemptOf, type FeedRow } from '../../engine/sql/event-feed.ts';
import { insertEvents } from '../../engine/sql/insert-events.ts';
import type { Queryable } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import {
  type Alert,
  alertEvent,
  BACKLOG_LIMIT,
  backlog,
  DEAD_LETTER_LIMIT,
  deadLetterDepth,
  ingestFailure,
  staleTakeover,
} from './alerts.ts';
import { type ReportFacts, readQueueDepths, readReportFacts } from './sql/read-report-facts.ts';

const told = new Set(['run.queued', 'run.started', 'run.done', 'run.failed', 'run.taken_over']);
const MAX_MESSAGE = 200;
/** A depth that stays too high is alerted once an hour. */
const DEPTH_ALERTS_PER_SECOND = 1 / 3600;

export function judgmentsReporter(log: Log): Pick<ConsumerOptions, 'name' | 'apply'> {
  return { name: 'judgments reporter', apply: (tx, events) => report(tx, events, log) };
}

async function report(tx: Queryable, events: readonly FeedRow[], log: Log): Promise<void> {
  const ours = events.filter(({ type, data }) => told.has(type) && data.pipeline === 'judgments');
  const asked = ours.flatMap((event) =>
    event.run_id === null ? [] : [{ runId: event.run_id, attempt: attemptOf(event) }],
  );
  if (asked.length === 0) return;
  const facts = new Map((await readReportFacts(tx, asked)).map((each) => [`${each.run_id} ${each.attempt}`, each]));
  for (const event of ours) {
    const about = facts.get(`${event.run_id} ${attemptOf(event)}`);
    if (about === undefined) continue;
    writeLine(log, event.type, about);
    const alert = alertFor(event.type, about, attemptOf(event));
    if (alert !== undefined)
      await insertEvents(tx, [alertEvent({ tenantId: event.tenant_id, runId: about.run_id }, alert)]);
  }
  await watchDepths(tx, ours);
}

function writeLine(log: Log, type: string, about: ReportFacts): void {
  const batch = { source_batch_id: about.source_batch_id };
  const outcomes = about.receipt?.outcomes ?? {};
  switch (type) {
    case 'run.started':
      log.info({ ...batch, file_hash: about.file_hash, worker_id: about.worker_id }, 'Job started');
      break;
    case 'run.done':
      log.info(
        {
          ...batch,
          record_count: about.receipt?.read ?? 0,
          inserted: outcomes.inserted ?? 0,
          updated: outcomes.updated ?? 0,
          duration_ms: Math.round(about.duration_ms ?? 0),
        },
        'Job completed',
      );
      break;
    case 'run.failed':
      log.error({ ...batch, error_type: errorType(about), error_message: errorMessage(about) }, 'Job failed');
      break;
    case 'run.taken_over':
      log.warn(
        { ...batch, stale_hours: hoursOf(about), original_started_at: about.attempt_started_at ?? undefined },
        'Stale takeover',
      );
  }
}

function alertFor(type: string, about: ReportFacts, attempt: number): Alert | undefined {
  if (type === 'run.failed') return ingestFailure(about.source_batch_id, errorType(about));
  if (type === 'run.taken_over') return staleTakeover(about.source_batch_id, hoursOf(about), attempt);
  return undefined;
}

/** Looked at when something failed or was added, once per tenant of the round. */
async function watchDepths(tx: Queryable, events: readonly FeedRow[]): Promise<void> {
  const moved = events.filter(({ type }) => type === 'run.failed' || type === 'run.queued');
  const lastOfTenant = new Map(moved.map((event) => [event.tenant_id, event]));
  for (const [tenantId, event] of lastOfTenant) {
    const depths = await readQueueDepths(tx, tenantId);
    const alerts = [
      ...(depths.dead_letters > DEAD_LETTER_LIMIT ? [deadLetterDepth(depths.dead_letters)] : []),
      ...(depths.backlog > BACKLOG_LIMIT ? [backlog(depths.backlog)] : []),
    ];
    for (const alert of alerts) {
      const limit = {
        key: `alert:judgments:${alert.rule}:${tenantId}`,
        capacity: 1,
        refillPerSecond: DEPTH_ALERTS_PER_SECOND,
      };
      if ((await tryTake(tx, limit)) > 0) continue;
      await insertEvents(tx, [alertEvent({ tenantId, runId: event.run_id ?? '' }, alert)]);
    }
  }
}

function errorType({ error_code: code }: ReportFacts): string {
  return code ?? 'internal';
}

function errorMessage(about: ReportFacts): string {
  const code = errorType(about);
  return (isErrorCode(code) ? sentence(entryOf(code).message) : code).slice(0, MAX_MESSAGE);
}

function hoursOf({ attempt_hours: hours }: ReportFacts): number {
  return Math.round((hours ?? 0) * 100) / 100;
}
