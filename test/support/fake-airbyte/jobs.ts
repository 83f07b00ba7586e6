// The jobs and connections of a fake Airbyte. Jobs move with its clock: pending, running, and then their outcome.

export type Outcome = 'succeeded' | 'failed' | 'cancelled';

export interface FakeConnection {
  readonly connectionId: string;
  readonly name: string;
  readonly workspaceId: string;
  readonly sourceId?: string;
  /** Told by GET /sources/:id; left out, Airbyte has lost the source. */
  readonly sourceType?: string;
  status: 'active' | 'inactive' | 'deprecated' | 'locked';
  readonly tags?: readonly { tagId: string; name: string; color: string; workspaceId: string }[];
  readonly createdAt: number;
}

export interface FakeJob {
  readonly jobId: bigint;
  readonly connectionId: string;
  readonly jobType: string;
  /** By Airbyte's clock. */
  readonly createdAt: number;
  readonly runMs: number;
  readonly outcome: Outcome;
  readonly rows: number | undefined;
  /** An attempt fails half way and another follows. */
  readonly stumbles: boolean;
  cancelledAt?: number;
}

const PENDING_SHARE = 0.1;

export function stateOf(job: FakeJob, nowMs: number): string {
  if (job.cancelledAt !== undefined) return 'cancelled';
  const share = (nowMs - job.createdAt) / job.runMs;
  if (share >= 1) return job.outcome;
  if (share < PENDING_SHARE) return 'pending';
  return job.stumbles && share > 0.4 && share < 0.6 ? 'incomplete' : 'running';
}

export function isLive(job: FakeJob, nowMs: number): boolean {
  return !['succeeded', 'failed', 'cancelled'].includes(stateOf(job, nowMs));
}

/** As JSON text: the id is an int64 that JSON.stringify would not write. */
export function jobJson(job: FakeJob, nowMs: number): string {
  const state = stateOf(job, nowMs);
  const ended = !isLive(job, nowMs);
  const endedAt = job.cancelledAt ?? job.createdAt + job.runMs;
  const share = Math.min(1, Math.max(0, (nowMs - job.createdAt) / job.runMs));
  const fields = {
    status: state,
    jobType: job.jobType,
    startTime: new Date(job.createdAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    connectionId: job.connectionId,
    ...(ended ? { lastUpdatedAt: new Date(endedAt).toISOString() } : {}),
    ...(state === 'pending'
      ? {}
      : { duration: `PT${Math.round(((ended ? endedAt : nowMs) - job.createdAt) / 1000)}S` }),
    ...(job.rows === undefined
      ? {}
      : { rowsSynced: Math.floor(job.rows * share), bytesSynced: Math.floor(job.rows * share) * 100 }),
  };
  return `{"jobId":${job.jobId},${JSON.stringify(fields).slice(1)}`;
}
