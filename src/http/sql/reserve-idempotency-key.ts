// Idempotency keys: reserve, renew, finish, release. A reservation whose holder died can be taken over once its lock has passed.
import type { Queryable } from '../../platform/database.ts';

export interface KeyName {
  readonly tenantId: string;
  readonly operation: string;
  readonly key: string;
}

export interface StoredAnswer {
  readonly request_hash: Buffer;
  readonly status: number | null;
  readonly answer: Buffer | null;
}

/** True when the key is ours now. One statement, so of two simultaneous requests exactly one gets it. */
export async function reserveKey(
  db: Queryable,
  name: KeyName,
  requestHash: Buffer,
  lockSeconds: number,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'http-reserve-idempotency-key',
    text: `
      insert into public.idempotency_keys as k (tenant_id, operation, key, request_hash, locked_until)
      values ($1, $2, $3, $4, engine.now() + make_interval(secs => $5))
      on conflict (tenant_id, operation, key) do update set locked_until = excluded.locked_until
      where k.finished_at is null and k.locked_until < engine.now() and k.request_hash = excluded.request_hash`,
    values: [name.tenantId, name.operation, name.key, requestHash, lockSeconds],
  });
  return rowCount === 1;
}

export async function findStoredAnswer(db: Queryable, name: KeyName): Promise<StoredAnswer | undefined> {
  const { rows } = await db.query<StoredAnswer>({
    name: 'http-find-stored-answer',
    text: `
      select request_hash, status, answer from public.idempotency_keys
      where tenant_id = $1 and operation = $2 and key = $3`,
    values: [name.tenantId, name.operation, name.key],
  });
  return rows[0];
}

export async function renewKey(db: Queryable, name: KeyName, lockSeconds: number): Promise<void> {
  await db.query({
    name: 'http-renew-idempotency-key',
    text: `
      update public.idempotency_keys set locked_until = engine.now() + make_interval(secs => $4)
      where tenant_id = $1 and operation = $2 and key = $3 and finished_at is null`,
    values: [name.tenantId, name.operation, name.key, lockSeconds],
  });
}

export async function storeAnswer(db: Queryable, name: KeyName, status: number, answer: Buffer): Promise<void> {
  await db.query({
    name: 'http-store-answer',
    text: `
      update public.idempotency_keys set status = $4, answer = $5, finished_at = engine.now()
      where tenant_id = $1 and operation = $2 and key = $3 and finished_at is null`,
    values: [name.tenantId, name.operation, name.key, status, answer],
  });
}

export async function releaseKey(db: Queryable, name: KeyName): Promise<void> {
  await db.query({
    name: 'http-release-idempotency-key',
    text: `
      delete from public.idempotency_keys
      where tenant_id = $1 and operation = $2 and key = $3 and finished_at is null`,
    values: [name.tenantId, name.operation, name.key],
  });
}

/** Deletes the kept answers of one operation of the tenant: Millrace works on the next request with such a key again. */
export async function forgetAnswers(db: Queryable, tenantId: string, operation: string): Promise<void> {
  await db.query({
    name: 'http-forget-answers',
    text: `delete from public.idempotency_keys where tenant_id = $1 and operation = $2 and finished_at is not null`,
    values: [tenantId, operation],
  });
}
