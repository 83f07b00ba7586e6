// Document runs on their way to a worker. All statements run as documents_delivery.
import type { Queryable } from '../../../platform/database.ts';

export const DELIVERY_ROLE = 'documents_delivery';

export interface Delivery {
  readonly run_id: string;
  readonly tenant_id: string;
  readonly tries: number;
}

export async function addDeliveries(
  tx: Queryable,
  runs: readonly { readonly runId: string; readonly tenantId: string }[],
): Promise<void> {
  await tx.query({
    name: 'documents-add-deliveries',
    text: `
      insert into public.document_deliveries (run_id, tenant_id)
      select run_id, tenant_id from unnest($1::uuid[], $2::uuid[]) as given (run_id, tenant_id)
      on conflict do nothing`,
    values: [runs.map(({ runId }) => runId), runs.map(({ tenantId }) => tenantId)],
  });
}

/** Those that are due, oldest first; others leave them alone for `leaseMs`. */
export async function takeDeliveries(tx: Queryable, limit: number, leaseMs: number): Promise<Delivery[]> {
  const { rows } = await tx.query<Delivery>({
    name: 'documents-take-deliveries',
    text: `
      update public.document_deliveries d
      set tries = d.tries + 1, next_at = engine.now() + make_interval(secs => $2 / 1000.0)
      where d.ctid = any (array(
        select x.ctid from public.document_deliveries x
        where x.next_at <= (select engine.now())
        order by x.next_at, x.run_id
        limit $1
        for update skip locked
      ))
      returning d.run_id, d.tenant_id, d.tries`,
    values: [limit, leaseMs],
  });
  return rows;
}

/** It was accepted, or its run has ended. */
export async function endDelivery(tx: Queryable, runId: string): Promise<void> {
  await tx.query({
    name: 'documents-end-delivery',
    text: `delete from public.document_deliveries where run_id = $1`,
    values: [runId],
  });
}

/** All of them: runs are not delivered any more. */
export async function clearDeliveries(tx: Queryable): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'documents-clear-deliveries',
    text: `delete from public.document_deliveries`,
  });
  return rowCount ?? 0;
}

/** Tried again later. A process that has taken it meanwhile has a higher number. */
export async function postponeDelivery(
  tx: Queryable,
  { run_id: runId, tries }: Delivery,
  delayMs: number,
  error: string | null,
): Promise<void> {
  await tx.query({
    name: 'documents-postpone-delivery',
    text: `
      update public.document_deliveries
      set next_at = engine.now() + make_interval(secs => $3 / 1000.0), last_error = coalesce($4, last_error)
      where run_id = $1 and tries = $2`,
    values: [runId, tries, delayMs, error],
  });
}

/** Not accepted for so long, oldest first. */
export async function listOldDeliveries(tx: Queryable, seconds: number, limit: number): Promise<Delivery[]> {
  const { rows } = await tx.query<Delivery>({
    name: 'documents-list-old-deliveries',
    text: `
      select run_id, tenant_id, tries from public.document_deliveries
      where created_at < (select engine.now() - make_interval(secs => $1))
      order by created_at
      limit $2`,
    values: [seconds, limit],
  });
  return rows;
}

export interface DeliverySigns {
  readonly waiting: number;
  readonly oldest_seconds: number;
}

/** How many are under way, counted up to `most`, and how long the oldest has been. */
export async function readDeliverySigns(tx: Queryable, most: number): Promise<DeliverySigns> {
  const { rows } = await tx.query<DeliverySigns>({
    name: 'documents-read-delivery-signs',
    text: `
      select (select count(*) from (select from public.document_deliveries limit $1) d) as waiting,
             coalesce((select date_part('epoch', engine.now() - created_at) from public.document_deliveries
                       order by created_at limit 1), 0) as oldest_seconds`,
    values: [most],
  });
  return rows[0] ?? { waiting: 0, oldest_seconds: 0 };
}
