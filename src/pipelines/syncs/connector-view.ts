// How the API shows connectors: how fresh their data is, which sync is live, and when the next one is due.

import { readDueTimes } from '../../engine/reads/read-due-times.ts';
import type { Queryable } from '../../platform/database.ts';
import { comesAt, effectiveSeconds } from './cadence.ts';
import { scheduleName } from './connector-schedule.ts';
import { type Freshness, freshnessOf } from './freshness.ts';
import type { ConnectorRow } from './sql/connectors.ts';
import { type JobRow, listLiveJobs } from './sql/read-jobs.ts';

export interface ConnectorView {
  readonly connector: ConnectorRow;
  readonly freshness: Freshness | null;
  readonly effectiveSeconds: number;
  readonly live: { readonly job_id: string; readonly status: JobRow['status'] } | null;
  readonly nextAt: Date | null;
}

export async function viewConnectors(
  db: Queryable,
  tenantId: string,
  rows: readonly ConnectorRow[],
): Promise<ConnectorView[]> {
  const ids = rows.map((row) => row.connector_id);
  const live = new Map((await listLiveJobs(db, tenantId, ids)).map((job) => [job.connector_id, job]));
  const due = await readDueTimes(db, tenantId, ids.map(scheduleName));
  return rows.map((connector) => {
    const job = live.get(connector.connector_id);
    const seconds = effectiveSeconds(connector.plan, connector.interval_seconds);
    const dueAt = connector.enabled ? due.get(scheduleName(connector.connector_id)) : undefined;
    return {
      connector,
      freshness: freshnessOf(connector, job?.status ?? null),
      effectiveSeconds: seconds,
      live: job ? { job_id: job.job_id, status: job.status } : null,
      nextAt: dueAt ? comesAt(dueAt, connector.last_success_started_at, seconds) : null,
    };
  });
}
