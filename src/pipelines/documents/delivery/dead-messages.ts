// The dead-letter queue of document runs. A message that arrives there ends its run, if that still waits; of a run that is at work, the message
// stays until the run has ended. Messages that are not about a run of ours, or say something else than the ledger, are left for the operator.
import type { Message } from '@aws-sdk/client-sqs';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { createLoop, type Service } from '../../../engine/services/loop.ts';
import type { Log } from '../../../platform/log.ts';
import { type PayloadDeps, runOfPayload } from './job-payload.ts';
import { ensureRedrive, type SqsQueue } from './sqs-queue.ts';

export interface DeadMessagesDeps extends PayloadDeps {
  readonly queue: SqsQueue;
  readonly dead: SqsQueue;
  readonly maxReceiveCount: number;
  readonly log: Log;
  readonly everyMs?: number;
}

const EVERY_MS = 10_000;
/** Hidden from the next look only. */
const HIDDEN_SECONDS = 5;
const AT_ONCE = 10;
const MOST_KNOWN = 10_000;

export function createDeadMessageReader(deps: DeadMessagesDeps): Service {
  const { engine, log, queue, dead } = deps;
  const left = new Set<string>();
  let isReady = false;
  const loop = createLoop({
    name: 'dead messages of documents',
    everyMs: deps.everyMs ?? EVERY_MS,
    election: engine.election,
    log,
    tick: async () => {
      if (!isReady) isReady = await hasRedrive(deps);
      const messages = await dead.receive({ waitSeconds: 0, hiddenSeconds: HIDDEN_SECONDS, most: AT_ONCE });
      let ended = 0;
      for (const message of messages) if (await endRunOf(deps, message, left)) ended += 1;
      return ended > 0 ? 0 : undefined;
    },
  });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      queue.close();
      dead.close();
    },
  };
}

async function hasRedrive({ queue, dead, maxReceiveCount, log }: DeadMessagesDeps): Promise<boolean> {
  try {
    await ensureRedrive(queue, dead, maxReceiveCount);
    return true;
  } catch (error) {
    log.warn({ err: error }, 'the queue of documents has no way to its dead-letter queue');
    return false;
  }
}

/** True when the message is gone. */
async function endRunOf(deps: DeadMessagesDeps, message: Message, left: Set<string>): Promise<boolean> {
  const { engine, dead, log } = deps;
  const { MessageId: id = '', ReceiptHandle: receipt = '', Body: body = '' } = message;
  try {
    const run = await runOfPayload(deps, JSON.parse(body));
    if (run.phase === 'active') return false;
    const error = new MillraceError('job_dead_lettered');
    const about = { tenantId: run.tenant_id, runId: run.id, code: error.code, text: error.message, hasBegun: true };
    const failed = run.finished_at === null && (await engine.failUndelivered(about));
    const now = failed ? run : await engine.findRun(run.id);
    if (!failed && now?.finished_at === null) return false;
    if (failed) log.warn({ run_id: run.id, message_id: id, code: error.code }, 'a dead message ended its run');
    await dead.acknowledge(receipt);
    return true;
  } catch (error) {
    if (left.has(id)) return false;
    if (left.size < MOST_KNOWN) left.add(id);
    log.warn(
      { message_id: id, reason: (error as Error).message },
      'a dead message is about no run of ours; it was left',
    );
    return false;
  }
}
