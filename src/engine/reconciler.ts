// Compares at intervals the leases that the database gives a worker with those that its process really holds. If the connection of a claim broke,
// the server may commit the claim long after the worker stopped waiting: then a living worker keeps a lease fresh that nobody works on. And a failover
// may remove leases that the process still believes in.
//
// Claims and ends are always under way, so a difference counts only when two looks have seen it and no claim that was under way
// at the first is still under way at the second.
import type { HeldLease } from './sql/workers.ts';

export interface Holding {
  readonly runId: string;
  readonly part: string;
  readonly attempt: number;
}

export interface Look<H extends Holding> {
  readonly leases: readonly HeldLease[];
  /** What the process held when it asked for the leases, and what it held when they came. */
  readonly before: readonly H[];
  readonly after: readonly H[];
  readonly lookedAt: number;
  /** When the oldest claim that is still under way began. */
  readonly oldestClaimAt: number | undefined;
}

export interface Differences<H extends Holding> {
  /** Leases of ours that nobody here works on. */
  readonly orphans: readonly HeldLease[];
  /** Held here, but not by the database's account. */
  readonly lost: readonly H[];
  readonly cancelled: readonly { readonly holding: H; readonly by: string }[];
}

const keyOf = (runId: string, part: string, attempt: number) => `${runId}/${part}/${attempt}`;

export class Reconciler {
  /** When each difference was first seen. */
  #unknown = new Map<string, number>();
  #missing = new Map<string, number>();

  compare<H extends Holding>({ leases, before, after, lookedAt, oldestClaimAt }: Look<H>): Differences<H> {
    const known = new Map([...before, ...after].map((held) => [keyOf(held.runId, held.part, held.attempt), held]));
    const leased = new Map(leases.map((lease) => [keyOf(lease.run_id, lease.part, lease.attempt), lease]));
    const isSettled = (since: number) => oldestClaimAt === undefined || oldestClaimAt > since;

    const unknown = new Map<string, number>();
    for (const key of leased.keys()) if (!known.has(key)) unknown.set(key, this.#unknown.get(key) ?? lookedAt);
    const orphans = [...unknown].filter(([key, since]) => this.#unknown.has(key) && isSettled(since));

    const stillHeld = new Set(after.map((held) => keyOf(held.runId, held.part, held.attempt)));
    const missing = new Map<string, number>();
    for (const held of before) {
      const key = keyOf(held.runId, held.part, held.attempt);
      if (!leased.has(key) && stillHeld.has(key)) missing.set(key, this.#missing.get(key) ?? lookedAt);
    }
    const lost = [...missing].filter(([key]) => this.#missing.has(key));

    this.#unknown = unknown;
    this.#missing = missing;
    return {
      orphans: orphans.map(([key]) => leased.get(key) as HeldLease),
      lost: lost.map(([key]) => known.get(key) as H),
      cancelled: [...leased].flatMap(([key, { cancel_requested_by: by }]) => {
        const holding = known.get(key);
        return holding && by !== null ? [{ holding, by }] : [];
      }),
    };
  }
}
