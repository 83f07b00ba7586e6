// Stores refused items in the transaction of the effects that were made at the same time.
import type { Queryable } from '../../platform/database.ts';

/** Where it stood and what was in the way are said as far as they are known. */
export interface RejectRecord {
  readonly line?: number | null;
  readonly byteOffset?: number | null;
  readonly column?: string | null;
  readonly code: string;
  readonly message: string;
  readonly value?: string | null;
  /** Rejects with one cause form a cluster. Default: the code. */
  readonly cause?: string;
  readonly suggestion?: unknown;
  readonly errors?: readonly unknown[];
  /** The item as read. */
  readonly item: unknown;
}

export async function insertRejects(
  db: Queryable,
  tenantId: string,
  runId: string,
  rejects: readonly RejectRecord[],
): Promise<void> {
  await db.query({
    name: 'engine-insert-rejects',
    text: `
      insert into engine.rejects (tenant_id, run_id, line, byte_offset, column_name, code, message, value, cause, suggestion, errors, item)
      select $1, $2, g.*
      from unnest(
        $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::jsonb[], $11::jsonb[], $12::jsonb[]
      ) as g`,
    values: [
      tenantId,
      runId,
      rejects.map((reject) => reject.line ?? null),
      rejects.map((reject) => reject.byteOffset ?? null),
      rejects.map((reject) => reject.column ?? null),
      rejects.map((reject) => reject.code),
      rejects.map((reject) => reject.message),
      rejects.map((reject) => reject.value ?? null),
      rejects.map((reject) => reject.cause ?? reject.code),
      rejects.map((reject) => (reject.suggestion === undefined ? null : JSON.stringify(reject.suggestion))),
      rejects.map((reject) => JSON.stringify(reject.errors ?? [])),
      rejects.map((reject) => JSON.stringify(reject.item)),
    ],
  });
}
