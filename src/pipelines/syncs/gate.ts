// Asked by the scheduler, in its own transaction, whether a connector's window is used: by the plan the tenant has now and the last
// sync that succeeded. So a changed plan takes effect at the next tick, and a manual sync counts.
import type { DueMoment, GateVerdict } from '../../engine/pipeline.ts';
import { enterStage, leaveStage } from '../../engine/sql/fence.ts';
import type { Queryable } from '../../platform/database.ts';
import { decideWindow } from './cadence.ts';
import { SyncInput } from './input.ts';
import { findConnector } from './sql/connectors.ts';

export const WORKER_ROLE = 'syncs_worker';

export async function gateSync(tx: Queryable, due: DueMoment): Promise<GateVerdict> {
  const input = SyncInput.safeParse(due.input);
  if (!input.success) return { fire: false };
  await enterStage(tx, WORKER_ROLE, due.tenantId);
  const connector = await findConnector(tx, due.tenantId, input.data.connector_id);
  await leaveStage(tx);
  if (!connector?.enabled) return { fire: false };
  return decideWindow({
    connectorId: connector.connector_id,
    plan: connector.plan,
    wantedSeconds: connector.interval_seconds,
    lastSuccessStartedAt: connector.last_success_started_at,
    now: due.now,
  });
}
