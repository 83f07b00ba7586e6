// Delegates document runs to ingest workers (INGEST_MODE http or queue). The outbox says which runs there are; they wait in
// document_deliveries until one try was accepted, so no upload waits for a worker and no kill loses a delivery. A run that may be sent twice is
// claimed once. A failed try is the run's end (DELEGATION_FAILURE=fail) or is repeated (hold); before that the ledger is asked, because an
// answer may be lost while the work has begun.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { RunRow } from '../../../engine/reads/run-columns.ts';
import { createLoop, type Service } from '../../../engine/services/loop.ts';
import { becomeRole } from '../../../engine/sql/become-role.ts';
import { type Queryable, withTransaction } from '../../../platform/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { Consumer } from '../../kit.ts';
import { becomeEngineAgain } from '../sql/accept-document.ts';
import {
  addDeliveries,
  DELIVERY_ROLE,
  type Delivery,
  endDelivery,
  listOldDeliveries,
  postponeDelivery,
  readDeliverySigns,
  takeDeliveries,
} from '../sql/deliveries.ts';
import { deliveryGauges } from './delivery-gauges.ts';
import { buildPayload, type PayloadDeps } from './job-payload.ts';
import type { Transport } from './transport.ts';

export interface DelegatorDeps extends PayloadDeps {
  readonly transport: Transport;
  readonly onFailure: 'fail' | 'hold';
  readonly log: Log;
}

export const DELIVERY_CONSUMER = 'documents delivery';
const EVERY_MS = 1_000;
const IDLE_MS = 5_000;
/** The consumer has told of new deliveries in a transaction that is about to commit. */
const AFTER_COMMIT_MS = 25;
/** Sent at the same time: one silent worker holds up no more than these. */
const MOST = 32;
/** Who dies while sending is missed after the longest a try may take, and this. */
const MARGIN_MS = 30_000;
const OLD_AT_ONCE = 500;
const MOST_COUNTED = 100_000;
const AGAIN = { firstMs: 1_000, maxMs: 60_000 };

export interface Delegator extends Service {
  readonly consumer: Consumer;
}

export function createDelegator(deps: DelegatorDeps): Delegator {
  const { engine, log, transport } = deps;
  const sending = new Set<Promise<void>>();
  const stopping = new AbortController();
  const leaseMs = transport.timeoutMs + MARGIN_MS;
  const signs = deliveryGauges();
  const loop = createLoop({
    name: `documents over ${transport.mode}`,
    everyMs: EVERY_MS,
    idleMs: IDLE_MS,
    election: engine.election,
    log,
    tick: async () => {
      await signs.refresh(() => asDelivery(deps, (tx) => readDeliverySigns(tx, MOST_COUNTED)));
      const room = MOST - sending.size;
      if (room <= 0) return undefined;
      const due = await asDelivery(deps, (tx) => takeDeliveries(tx, room, leaseMs));
      for (const delivery of due) {
        const sent = delegate(deps, delivery, stopping.signal)
          .catch((error: unknown) => log.warn({ run_id: delivery.run_id, err: error }, 'a delivery was not noted'))
          .finally(() => {
            sending.delete(sent);
            loop.wake();
          });
        sending.add(sent);
      }
      return undefined;
    },
  });
  return {
    ...loop,
    async stop() {
      stopping.abort();
      await loop.stop();
      await Promise.all(sending);
      transport.close();
    },
    consumer: {
      name: DELIVERY_CONSUMER,
      async apply(tx, events) {
        const runs = events.flatMap(({ type, run_id: runId, tenant_id: tenantId, data }) =>
          type === 'run.queued' && data.pipeline === 'documents' && runId !== null ? [{ runId, tenantId }] : [],
        );
        if (runs.length === 0) return;
        await becomeRole(tx, DELIVERY_ROLE);
        await addDeliveries(tx, runs);
        await becomeEngineAgain(tx);
        setTimeout(() => loop.wake(), AFTER_COMMIT_MS);
      },
    },
  };
}

/** One try of one delivery. */
export async function delegate(deps: DelegatorDeps, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const { engine, transport, log } = deps;
  const run = await engine.findRun(delivery.run_id);
  if (run === undefined || !awaitsDelivery(run)) return asDelivery(deps, (tx) => endDelivery(tx, delivery.run_id));
  const payload = await buildPayload(deps, run, delivery.tries);
  const startedAt = performance.now();
  const fault =
    payload === undefined
      ? new MillraceError('document_bytes_gone', { reason: 'its time to be kept is over' })
      : await transport.send(payload, signal);
  const ms = Math.round(performance.now() - startedAt);
  const about = {
    event: 'ingest_job_delegated',
    run_id: run.id,
    tenant_id: run.tenant_id,
    delegation_mode: transport.mode,
    delivery: delivery.tries,
    ms,
  };
  if (fault === undefined) {
    log.info({ ...about, delegation_success: true }, 'ingest_job_delegated');
    return asDelivery(deps, (tx) => endDelivery(tx, run.id));
  }
  // Cut short by our own stop: the process that is elected next sends it again.
  if (signal.aborted) return asDelivery(deps, (tx) => postponeDelivery(tx, delivery, 0, null));
  const fate = await settle(deps, run, delivery, fault);
  const reason = (fault.cause as Error | undefined)?.message;
  const told = { ...about, delegation_success: fate === 'accepted', fate, code: fault.code, reason };
  log[fate === 'accepted' ? 'info' : 'warn'](told, 'ingest_job_delegated');
}

/** What becomes of a run whose delivery did not succeed, as far as we heard. */
async function settle(
  deps: DelegatorDeps,
  { id: runId, tenant_id: tenantId }: RunRow,
  delivery: Delivery,
  fault: MillraceError,
): Promise<'accepted' | 'failed' | 'held'> {
  const { engine, onFailure } = deps;
  if (onFailure === 'hold' && fault.kind === 'transient') {
    const now = await engine.findRun(runId);
    if (now !== undefined && awaitsDelivery(now)) {
      const delayMs = Math.min(AGAIN.firstMs * 2 ** (delivery.tries - 1), AGAIN.maxMs);
      await asDelivery(deps, (tx) => postponeDelivery(tx, delivery, delayMs, fault.code));
      return 'held';
    }
    await asDelivery(deps, (tx) => endDelivery(tx, runId));
    return 'accepted';
  }
  // Fails only what still waits and was never begun: the statement itself asks for the run.
  const failed = await engine.failUndelivered({ tenantId, runId, code: fault.code, text: fault.message });
  await asDelivery(deps, (tx) => endDelivery(tx, runId));
  return failed ? 'failed' : 'accepted';
}

/** Fails runs whose delegation was never accepted in all that time; how many. */
export async function failNeverAccepted(
  deps: Pick<DelegatorDeps, 'engine'>,
  olderThanSeconds: number,
): Promise<number> {
  const old = await asDelivery(deps, (tx) => listOldDeliveries(tx, olderThanSeconds, OLD_AT_ONCE));
  const error = new MillraceError('job_never_picked_up');
  let failed = 0;
  for (const { run_id: runId, tenant_id: tenantId } of old) {
    if (await deps.engine.failUndelivered({ tenantId, runId, code: error.code, text: error.message })) failed += 1;
    await asDelivery(deps, (tx) => endDelivery(tx, runId));
  }
  return failed;
}

function awaitsDelivery(run: RunRow): boolean {
  return run.phase === 'waiting' && run.attempt === 0 && run.held_at === null;
}

export function asDelivery<T>(
  { engine }: Pick<DelegatorDeps, 'engine'>,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  return withTransaction(engine.pools.control, async (tx) => {
    await becomeRole(tx, DELIVERY_ROLE);
    return work(tx);
  });
}
