// Why a waiting run waits: a word for programs and a sentence for people. There is an answer for every waiting run.
import type { Queryable } from '../platform/database.ts';
import { readWaitingFacts, type WaitingFacts } from './reads/read-waiting.ts';
import type { RunRow } from './reads/run-columns.ts';

export interface WhyWaiting {
  readonly reason:
    | 'held'
    | 'question'
    | 'paused'
    | 'retry'
    | 'rate_limit'
    | 'later'
    | 'delivery'
    | 'no_worker'
    | 'cap'
    | 'alone'
    | 'behind'
    | 'next';
  readonly text: string;
  readonly until?: Date;
}

/** Null when the run does not wait. `isDelivered`: runs of its pipeline are given to workers by id. */
export async function whyWaiting(db: Queryable, run: RunRow, isDelivered = false): Promise<WhyWaiting | null> {
  if (run.phase !== 'waiting') return null;
  if (isAsked(run)) return { reason: 'question', text: 'it waits for an answer before it goes on' };
  if (run.held_at !== null)
    return { reason: 'held', text: `held by ${run.held_by} since ${run.held_at.toISOString()}` };
  const facts = await readWaitingFacts(db, run.id);
  if (!facts) return null;
  return deliveryReason(run, facts, isDelivered) ?? plannedReason(run, facts) ?? queueReason(run, facts);
}

/** It waits for an answer, which alone lets it go on. */
export function isAsked({ wait_reason: reason }: { readonly wait_reason: unknown }): boolean {
  return (reason as { kind?: string } | null)?.kind === 'question';
}

function deliveryReason(run: RunRow, facts: WaitingFacts, isDelivered: boolean): WhyWaiting | undefined {
  if (!isDelivered || run.attempt > 0 || facts.available_at === null) return undefined;
  const until = facts.available_at;
  const at = until.toISOString();
  return {
    reason: 'delivery',
    until,
    text: `it waits to be delivered to a worker; from ${at} on any worker may take it`,
  };
}

function plannedReason(run: RunRow, facts: WaitingFacts): WhyWaiting | undefined {
  if (facts.available_at === null) return undefined;
  const until = facts.available_at;
  const at = until.toISOString();
  const planned = run.wait_reason as {
    kind?: string;
    number?: number;
    of?: number;
    code?: string;
    text?: string;
  } | null;
  if (planned?.kind === 'rate_limit') return { reason: 'rate_limit', until, text: `rate limit until ${at}` };
  if (planned?.kind === 'retry') {
    const count = planned.of === undefined ? `retry ${planned.number}` : `retry ${planned.number} of ${planned.of}`;
    return { reason: 'retry', until, text: `${count} at ${at}, after ${planned.code}` };
  }
  if (planned?.kind === 'later' && planned.text !== undefined)
    return { reason: 'later', until, text: `${planned.text} Planned for ${at}` };
  return { reason: 'later', until, text: `planned for ${at}` };
}

function queueReason(run: RunRow, facts: WaitingFacts): WhyWaiting {
  if (facts.paused_by !== null)
    return { reason: 'paused', text: `pipeline "${run.pipeline}" is paused by ${facts.paused_by}` };
  if (facts.workers_alive === 0)
    return { reason: 'no_worker', text: `no worker is alive for pipeline "${run.pipeline}"` };
  if (facts.lane_cap !== null && facts.lane_leases >= facts.lane_cap) {
    return { reason: 'cap', text: `cap ${facts.lane_leases}/${facts.lane_cap} of its lane is reached` };
  }
  if (facts.solo)
    return {
      reason: 'alone',
      text: 'several workers died while they worked on it; it waits for a worker that has no other run',
    };
  if (facts.ahead > 0) return { reason: 'behind', text: `${facts.ahead} runs of its lane come first` };
  return { reason: 'next', text: 'it is next' };
}
