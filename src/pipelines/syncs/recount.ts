// Recounts a finished sync for `millrace verify`: asks Airbyte again what the job brought.

import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { RunFacts } from '../../engine/pipeline.ts';
import type { Receipt } from '../../engine/receipt.ts';
import type { Queryable } from '../../platform/database.ts';
import type { SyncInput } from './input.ts';
import { findConnector } from './sql/connectors.ts';
import { receiptOf } from './sync.ts';
import type { SyncsDeps } from './syncs-deps.ts';

export async function recountSync(run: RunFacts<SyncInput>, tx: Queryable, { clients }: SyncsDeps): Promise<Receipt> {
  const { connector_id: connectorId } = run.input;
  const connector = await findConnector(tx, run.tenantId, connectorId);
  if (!connector) throw new MillraceError('connector_not_found', { connector: connectorId });
  const client = await clients.forConnector(tx, connector);
  return receiptOf(await client.getJob(String(run.receipt?.airbyte_job_id)), Number(run.receipt?.duration_seconds));
}
