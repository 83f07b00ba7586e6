// Reads the outbox and says what happened to syncs in the words of the job model: job.queued, job.failed, job.retry, job.dead_lettered
// and job.cancelled (job.started and job.completed come from the stage itself). Counts a connector's dead letters, warns half way and
// switches it off at the limit; notes cancelled runs whose job at Airbyte may go on. Each event is applied once, in the
// transaction that moves the offset.
import { entryOf, isErrorCode } from '../../contract/errors/catalogue.ts';
import type { ConsumerOptions } from '../../engine/consumer.ts';
import { readCheckpoint } from '../../engine/sql/checkpoints.ts';
import type { FeedRow } from '../../engine/sql/event-feed.ts';
import { enterStage, leaveStage } from '../../engine/sql/fence.ts';
import { insertEvents, type OutboxRow } from '../../engine/sql/insert-events.ts';
import { switchSchedule } from '../../engine/sql/schedules.ts';
import type { Queryable } from '../../platform/database.ts';
import { noteCancellation } from './cancellations.ts';
import type { SyncCheckpoint } from './checkpoint.ts';
import { scheduleName } from './connector-schedule.ts';
import { WORKER_ROLE } from './gate.ts';
import { type EndingRow, readEndings } from './sql/read-endings.ts';
import { countFailure, disableConnector, markWarned } from './sql/record-failure.ts';

interface RunEvent extends FeedRow {
  readonly run_id: string;
}

export function jobEvents(limits: { readonly failureLimit: number }): Pick<ConsumerOptions, 'name' | 'apply'> {
  return {
    name: 'syncs',
    async apply(tx, events) {
      const ours = events.filter(
        (event): event is RunEvent => event.run_id !== null && event.data.pipeline === 'syncs',
      );
      if (ours.length === 0) return;
      const facts = await readEndings(
        tx,
        ours.map((event) => event.run_id),
        ours.map((event) => Number(event.data.attempt ?? 0)),
      );
      const factsOf = new Map(facts.map((row) => [`${row.run_id}:${row.attempt}`, row]));
      const told: OutboxRow[] = [];
      for (const event of ours) {
        const ending = factsOf.get(`${event.run_id}:${Number(event.data.attempt ?? 0)}`);
        if (ending === undefined) continue;
        told.push(...tell(event, ending));
        if (event.type === 'run.failed') told.push(...(await noteCancelled(tx, event, ending)));
        if (event.type === 'run.dead') told.push(...(await noteFailure(tx, event, ending, limits.failureLimit)));
      }
      if (told.length > 0) await insertEvents(tx, told);
    },
  };
}

function tell(event: RunEvent, ending: EndingRow): OutboxRow[] {
  const who = { job_id: event.run_id, tenant_id: event.tenant_id, connector_id: ending.connector_id };
  const why = { error_code: ending.error_code, error_message: ending.error_text };
  const attempt = String(ending.attempt);
  switch (event.type) {
    case 'run.queued':
      return [row(event, 'job.queued', '', who)];
    case 'run.taken_over':
      return [
        row(event, 'job.failed', attempt, { ...who, error_code: 'lost', error_message: 'The worker went silent.' }),
      ];
    case 'run.released': {
      if (event.data.status !== 'failed') return [];
      const wait = (event.data.wait_reason ?? {}) as { delay_ms?: number };
      const retry = { ...who, retry_count: ending.retry_count, delay_seconds: (wait.delay_ms ?? 0) / 1_000 };
      return [
        row(event, 'job.failed', attempt, { ...who, ...why }),
        row(event, 'job.retry', attempt, { ...retry, error_code: ending.error_code }),
      ];
    }
    case 'run.dead':
      return [row(event, 'job.dead_lettered', '', { ...who, retry_count: ending.retry_count, ...why })];
    default:
      return [];
  }
}

/**
 * Only a cancel ends a sync as failed. However it was cancelled (by the API, in bulk, from the command line): what it left at
 * Airbyte is to be cancelled too, and job.cancelled is told when that is certain. When nothing was sent, it is certain now.
 */
async function noteCancelled(tx: Queryable, event: RunEvent, ending: EndingRow): Promise<OutboxRow[]> {
  const { run_id: jobId, tenant_id: tenantId } = event;
  const { connector_id: connectorId } = ending;
  const known = (await readCheckpoint(tx, jobId, 'sync', '')) as SyncCheckpoint | undefined;
  await enterStage(tx, WORKER_ROLE, tenantId);
  const isNoted = await noteCancellation(tx, { jobId, tenantId, connectorId }, known);
  await leaveStage(tx);
  const who = { job_id: jobId, tenant_id: tenantId, connector_id: connectorId };
  return isNoted ? [] : [row(event, 'job.cancelled', '', { ...who, run_id: null, outcome: 'not_started' })];
}

async function noteFailure(tx: Queryable, event: RunEvent, ending: EndingRow, limit: number): Promise<OutboxRow[]> {
  const { tenant_id: tenantId } = event;
  const { connector_id: connectorId } = ending;
  const code = ending.error_code ?? 'stage_failed';
  const kind = isErrorCode(code) ? entryOf(code).kind : 'bug';
  const told: OutboxRow[] = [];
  await enterStage(tx, WORKER_ROLE, tenantId);
  const count = await countFailure(tx, { tenantId, connectorId, code, kind });
  const failures = count?.consecutive_failures ?? 0;
  const isOver = count?.enabled === true && failures >= limit;
  if (count && !count.warned && failures >= Math.ceil(limit / 2)) {
    await markWarned(tx, tenantId, connectorId);
    told.push(row(event, 'connector.failing', '', { connector_id: connectorId, failures, limit, error_code: code }));
  }
  if (isOver) {
    await disableConnector(tx, tenantId, connectorId, `${failures} syncs in a row ended as dead letters`);
    told.push(row(event, 'connector.disabled', '', { connector_id: connectorId, failures, error_code: code }));
  }
  await leaveStage(tx);
  if (isOver) await switchSchedule(tx, tenantId, scheduleName(connectorId), false);
  return told;
}

function row(event: RunEvent, type: string, key: string, data: object): OutboxRow {
  return { tenantId: event.tenant_id, runId: event.run_id, type, key, data: JSON.stringify(data) };
}
