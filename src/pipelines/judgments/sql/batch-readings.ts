// How a batch is read, stored before its first row is, and how a person wants it to be read instead.
import type { Queryable } from '../../../platform/database.ts';
import type { ReadingOverrides } from '../../../tabular/reading.ts';
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
      on conflict (batch_id) do update set reading = excluded.reading, mapping = excluded.mapping, updated_at = engine.now()
      where batch_readings.reading is null or excluded.reading -> 'answered' is distinct from batch_readings.reading -> 'answered'`,
    values: [batch.batchId, batch.tenantId, JSON.stringify(batch.reading), JSON.stringify(batch.mapping)],
  });
}

/** Undefined while nothing has been decided. */
export async function selectBatchReading(db: Queryable, batchId: string): Promise<BatchReading | undefined> {
  const { rows } = await db.query<BatchReading>({
    name: 'judgments-select-batch-reading',
    text: `select reading, mapping from intake.batch_readings where batch_id = $1 and reading is not null`,
    values: [batchId],
  });
  return rows[0];
}

/** What a person wants to be read otherwise; by the run itself or, for a retry, by the run it retries. */
export async function selectOverrides(db: Queryable, batchId: string): Promise<ReadingOverrides | null> {
  const { rows } = await db.query<{ overrides: ReadingOverrides | null }>({
    name: 'judgments-select-overrides',
    text: `select overrides from intake.batch_readings where batch_id = $1`,
    values: [batchId],
  });
  return rows[0]?.overrides ?? null;
}

export async function upsertOverrides(
  db: Queryable,
  batch: { readonly batchId: string; readonly tenantId: string; readonly overrides: ReadingOverrides },
): Promise<void> {
  await db.query({
    name: 'judgments-upsert-overrides',
    text: `
      insert into intake.batch_readings (batch_id, tenant_id, overrides)
      values ($1, $2, $3)
      on conflict (batch_id) do update set overrides = excluded.overrides, updated_at = engine.now()`,
    values: [batch.batchId, batch.tenantId, JSON.stringify(batch.overrides)],
  });
}
