// The deliverer takes due deliveries and sends many at a time. Any number of processes may run it: each takes rows with `skip locked`
// under a lease, and the others take over the rows of a process that dies.
//
// A slow endpoint delays no other: each has a few slots over all processes, and one slot while it fails.
import type { Elected } from '../../engine/services/election.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import { waitAtMost } from '../../platform/wait.ts';
import { type DeliverDeps, deliver } from './deliver.ts';
import { type ClaimedDelivery, claimDeliveries, lockDueEndpoints, takeBackLost } from './sql/claim-deliveries.ts';
import { pruneDeliveries } from './sql/look-after-deliveries.ts';

const lostBatch = 100;
const pruneBatch = 1_000;
const pruneEveryMs = 3_600_000;
/** Every delivery that ends wakes the loop; a burst of ends is one look. */
const atMostEveryMs = 5;
/** A loop that finds nothing looks this many times less often. */
export const IDLE_POLLS = 20;

export function createDeliverer(deps: DeliverDeps & { readonly log: Log; readonly election?: Elected }): Service {
  const { settings, log } = deps;
  const underWay = new Set<Promise<void>>();
  const hurry = new AbortController();
  let prunedAt = Number.NEGATIVE_INFINITY;

  const loop = createLoop({
    name: 'webhook deliverer',
    everyMs: settings.pollMs,
    idleMs: settings.pollMs * IDLE_POLLS,
    election: deps.election,
    atMostEveryMs,
    log,
    async tick() {
      await takeBackLost(deps.pool, lostBatch);
      const free = settings.concurrency - underWay.size;
      // With no place free the end of a delivery wakes us.
      const claimed = free > 0 ? await claimDue(deps, free) : [];
      if (claimed.length > 0) failpoint('webhook.taken');
      for (const delivery of claimed) start(delivery);
      // A batch between two looks: however much is old, what is due goes out meanwhile.
      const isMoreOld = performance.now() - prunedAt > pruneEveryMs && (await pruneSome());
      if (isMoreOld) return 1;
      // While deliveries are under way, places become free in other processes too.
      return claimed.length + underWay.size > 0 ? settings.pollMs : undefined;
    },
  });

  function start(delivery: ClaimedDelivery): void {
    const work = tryOnce(delivery).finally(() => {
      underWay.delete(work);
      loop.wake();
    });
    underWay.add(work);
  }

  async function tryOnce(delivery: ClaimedDelivery): Promise<void> {
    const about = {
      delivery: delivery.delivery_id,
      endpoint: delivery.endpoint_id,
      tenant: delivery.tenant_id,
      attempt: delivery.attempts,
    };
    try {
      const { verdict, outcome, ms, disabled } = await deliver(deps, delivery, hurry.signal);
      log.debug({ ...about, outcome, ms, ...(verdict.error ? { code: verdict.error.code } : {}) }, 'webhook.tried');
      if (disabled) log.warn({ ...about, reason_code: disabled }, 'webhook.disabled');
    } catch (error) {
      log.warn({ ...about, err: error }, 'the result of a webhook could not be written; it goes out again');
    }
  }

  /** True when there may be more. */
  async function pruneSome(): Promise<boolean> {
    if ((await pruneDeliveries(deps.pool, settings.retentionDays, pruneBatch)) === pruneBatch) return true;
    prunedAt = performance.now();
    return false;
  }

  return {
    name: loop.name,
    start: () => loop.start(),
    wake: () => loop.wake(),
    async stop() {
      await loop.stop();
      await Promise.race([Promise.all(underWay), waitAtMost(settings.drainMs)]);
      hurry.abort();
      await Promise.all(underWay);
    },
  };
}

/** One round of claiming: at most `free` deliveries. */
export async function claimDue({ pool, settings }: DeliverDeps, free: number): Promise<ClaimedDelivery[]> {
  return withTransaction(pool, async (tx) => {
    const endpointIds = await lockDueEndpoints(tx, free);
    if (endpointIds.length === 0) return [];
    return claimDeliveries(tx, {
      endpointIds,
      perEndpoint: settings.endpointConcurrency,
      limit: free,
      leaseMs: settings.timeoutMs + settings.leaseMarginMs,
    });
  });
}
