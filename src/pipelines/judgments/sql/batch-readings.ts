// How a batch is read, stored before its first row is.
import type { Queryable } from '../../../platform/database.ts';
import type { BatchReading } from '../reading.ts';

export async function insertBatchReading(
  db: Queryable,
  batch: { readonly batchId: string; readonly tenantId: string } & BatchReading,
): Promise<void> {
  await db.query({
    name: 'judgments-insert-batch-reading',
    text: `
      insert into intake.batch_readings (batch_id, tenant_id, reading, mapping)
      values ($1, $2, $3, $4)
      on conflict (batch_id) do nothing`,
    values: [batch.batchId, batch.tenantId, JSON.stringify(batch.reading), JSON.stringify(batch.mapping)],
  });
}

export async function selectBatchReading(db: Queryable, batchId: string): Promise<BatchReading | undefined> {
  const { rows } = await db.query<BatchReading>({
    name: 'judgments-select-batch-reading',
    text: `select reading, mapping from intake.batch_readings where batch_id = $1`,
    values: [batchId],
  });
  return rows[0];
}
