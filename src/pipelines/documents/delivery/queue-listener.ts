// INGEST_MODE=queue on the side of the ingest worker. Promises:
//   - it asks the queue for one message, by long poll, and only while a slot is free and the database answers;
//   - a message is deleted only after the ledger has an end of its run; whoever cannot know that leaves the message alone;
//   - while this process holds a run's message and the run lives, the message stays hidden; when the database is away, only messages of runs
//     that are at work here do, and the others come again by themselves.
// A message that names no run of ours, or says something else than the ledger, is never deleted: the queue gives it to its dead letters.
import type { Message } from '@aws-sdk/client-sqs';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { createLoop, type Service } from '../../../engine/services/loop.ts';
import type { Log } from '../../../platform/log.ts';
import { Doorbell, waitAtMost } from '../../../platform/wait.ts';
import type { PayloadDeps } from './job-payload.ts';
import { receiveJob } from './receive-job.ts';
import type { SqsQueue } from './sqs-queue.ts';

export interface ListenerDeps extends PayloadDeps {
  readonly queue: SqsQueue;
  readonly visibilitySeconds: number;
  readonly log: Log;
  /** Of the long poll. */
  readonly waitSeconds?: number;
}

interface Held {
  readonly receipt: string;
  readonly runId: string;
  readonly tenantId: string;
  /** When its visibility was last set. */
  hiddenAt: number;
}

const WAIT_SECONDS = 20;
const AFTER_TROUBLE_MS = 1_000;
const NO_SLOT_MS = 500;
const LOOK_MS = 1_000;
/** Messages of runs that wait or are at work elsewhere are held without a slot; beyond this many they come again by themselves. */
const MOST_HELD = 200;

export function createQueueListener(deps: ListenerDeps): Service {
  const { engine, log, queue } = deps;
  const held = new Map<string, Held>();
  const stopping = new AbortController();
  const bell = new Doorbell();
  let listening: Promise<void> | undefined;
  const keeper = createLoop({
    name: 'messages held',
    everyMs: LOOK_MS,
    log,
    tick: async () => {
      await lookAfter(deps, held);
      bell.ring();
      return undefined;
    },
  });
  const unsubscribe = engine.onEvents(() => keeper.wake());

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (engine.freeSlots() <= 0 || held.size >= MOST_HELD) {
        await bell.wait(NO_SLOT_MS);
        continue;
      }
      try {
        // Who cannot reach the ledger takes nothing: each receive counts towards the dead letters.
        await engine.ping();
        const [message] = await queue.receive({
          waitSeconds: deps.waitSeconds ?? WAIT_SECONDS,
          hiddenSeconds: deps.visibilitySeconds,
          most: 1,
          signal: stopping.signal,
        });
        if (message !== undefined) await takeMessage(deps, held, message);
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn({ err: error }, 'the queue of documents could not be listened to');
        await waitAtMost(AFTER_TROUBLE_MS, stopping.signal);
      }
    }
  }

  return {
    name: 'documents from the queue',
    start() {
      listening = listen();
      keeper.start();
    },
    wake: () => keeper.wake(),
    /** Stops receiving. The messages of what is still at work come again when their time is up. */
    async stop() {
      stopping.abort();
      bell.ring();
      unsubscribe();
      await listening;
      await keeper.stop();
    },
  };
}

async function takeMessage(deps: ListenerDeps, held: Map<string, Held>, message: Message): Promise<void> {
  const { queue, log } = deps;
  const { MessageId: id = '', ReceiptHandle: receipt = '', Body: body = '' } = message;
  try {
    const { fate, run } = await receiveJob(deps, parse(body));
    log.info({ run_id: run.id, message_id: id, fate, receives: receivesOf(message) }, 'a message was received');
    if (fate === 'ended') return await queue.acknowledge(receipt);
    // The last slot was taken meanwhile: somebody else may have it at once.
    if (fate === 'busy') return await queue.hide(receipt, 0);
    held.set(id, { receipt, runId: run.id, tenantId: run.tenant_id, hiddenAt: performance.now() });
  } catch (error) {
    const isRefused = error instanceof MillraceError && error.code === 'job_payload_invalid';
    const about = { message_id: id, receives: receivesOf(message) };
    if (isRefused) log.warn({ ...about, code: error.code, reason: error.message }, 'a message was refused');
    else log.warn({ ...about, err: error }, 'a message could not be taken; it comes again');
  }
}

/** Acknowledges what has ended, keeps hidden what lives, and claims what may be claimed again. */
async function lookAfter(deps: ListenerDeps, held: Map<string, Held>): Promise<void> {
  for (const [id, message] of held) {
    try {
      await lookAt(deps, held, id, message);
    } catch (error) {
      deps.log.warn({ run_id: message.runId, message_id: id, err: error }, 'a held message was not looked after');
    }
  }
}

async function lookAt(deps: ListenerDeps, held: Map<string, Held>, id: string, message: Held): Promise<void> {
  const { engine, queue, visibilitySeconds } = deps;
  const run = await engine.findRun(message.runId).catch(() => 'unknown' as const);
  if (run === 'unknown') {
    // Not acknowledged. What is at work here goes on and stays hidden; the rest comes again when its time is up.
    if (engine.isAtWork(message.runId)) return keepHidden(deps, message);
    if (performance.now() - message.hiddenAt > visibilitySeconds * 1_000) held.delete(id);
    return undefined;
  }
  if (run === undefined || run.finished_at !== null) {
    await queue.acknowledge(message.receipt);
    held.delete(id);
    return undefined;
  }
  if (run.phase === 'waiting' && run.held_at === null && engine.freeSlots() > 0) await engine.deliver(run.id);
  return keepHidden(deps, message);
}

async function keepHidden({ queue, visibilitySeconds }: ListenerDeps, message: Held): Promise<void> {
  if (performance.now() - message.hiddenAt < (visibilitySeconds * 1_000) / 3) return;
  await queue.hide(message.receipt, visibilitySeconds);
  message.hiddenAt = performance.now();
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function receivesOf({ Attributes }: Pick<Message, 'Attributes'>): number {
  return Number(Attributes?.ApproximateReceiveCount ?? 1);
}
