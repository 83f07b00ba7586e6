// The events of syncs, and what webhooks may tell of each: ids, counts and codes.
import type { syncsEvents as described } from '../../contract/pipelines/syncs/events.ts';

const job = ['job_id', 'connector_id'];

export const syncsEvents: Readonly<Record<keyof typeof described, readonly string[]>> = {
  'job.queued': job,
  'job.started': [...job, 'adopted'],
  'job.completed': [...job, 'records_synced', 'bytes_synced', 'duration_seconds'],
  'job.failed': job,
  'job.retry': [...job, 'retry_count', 'delay_seconds'],
  'job.dead_lettered': [...job, 'retry_count'],
  'job.cancelled': [...job, 'outcome'],
  'connector.failing': ['connector_id', 'failures', 'limit'],
  'connector.disabled': ['connector_id', 'failures'],
};
