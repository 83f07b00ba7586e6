// What a bucket announces over SQS (s3:ObjectCreated:*) starts a sync of just those objects, so that files arrive in seconds. A message is
// deleted once the ledger has the run; until then, and when the source is busy, it comes again. Announcements are hints: what is missed,
// repeated or wrong is corrected by the next listing.
import type { Message } from '@aws-sdk/client-sqs';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { Engine } from '../../engine/engine.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import { becomeRole } from '../../engine/sql/become-role.ts';
import { insertEvents } from '../../engine/sql/insert-events.ts';
import { withTenant, withTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { awsConnection } from '../../sources/s3/aws-connection.ts';
import { s3Fault } from '../../sources/s3/s3-faults.ts';
import { guardOf, keysOfCredential, openCredential } from './open-place.ts';
import { belongsTo } from './scope.ts';
import type { SourcesDeps } from './sources-deps.ts';
import { findSource, type SourceRow } from './sql/sources.ts';
import { type AnnouncedSource, listAnnounced, noteQueue } from './sql/watch-sources.ts';
import { SERVICES_ROLE } from './stale-watch.ts';
import { startSync } from './start-sync.ts';

const EVERY_MS = 5_000;
const WAIT_SECONDS = 10;
const MESSAGES = 10;
/** A message that could not be turned into a run comes again after this long. */
const HIDDEN_SECONDS = 30;
const LISTENERS = 50;
/** What one sync is asked to look at; of a message that names more, the rest comes with the next listing. */
const KEYS = 1_000;
/** No key of a bucket is longer; asking for such a one would fail, and those announced with it would wait. */
const KEY_BYTES = 1_024;
/** A queue that fails so often in a row is no passing trouble. */
const FAILURES_TOLD = 3;

export function createAnnouncementListener(deps: SourcesDeps, engine: Engine, log: Log): Service {
  const listening = new Map<string, Promise<unknown>>();
  const failures = new Map<string, number>();
  const heardAt = new Map<string, number>();
  const stopping = new AbortController();
  const loop = createLoop({
    name: 'announced objects',
    everyMs: EVERY_MS,
    election: engine.election,
    log,
    tick: async () => {
      const announced = await listAll(engine);
      for (const source of nextToHear(announced, listening, heardAt)) {
        heardAt.set(source.source_id, performance.now());
        // Each queue is waited at by itself: one that hangs holds up no other.
        const waitSeconds = announced.length > LISTENERS ? 1 : WAIT_SECONDS;
        const round = hearOnce(deps, engine, source, { failures, signal: stopping.signal, waitSeconds })
          .catch((error: unknown) => {
            log.warn({ source: source.source_id, err: error }, 'what became of a queue could not be written down');
          })
          .finally(() => listening.delete(source.source_id));
        listening.set(source.source_id, round);
      }
      return announced.length > 0 ? EVERY_MS : undefined;
    },
  });
  return {
    ...loop,
    async stop() {
      stopping.abort();
      await loop.stop();
      await Promise.all(listening.values());
    },
  };
}

/** Those that were heard longest ago: with more queues than are listened at together, each has its turn. */
export function nextToHear<Announced extends { readonly source_id: string }>(
  announced: readonly Announced[],
  listening: ReadonlyMap<string, unknown>,
  heardAt: ReadonlyMap<string, number>,
): Announced[] {
  const at = ({ source_id: id }: Announced) => heardAt.get(id) ?? 0;
  const free = announced.filter(({ source_id: id }) => !listening.has(id));
  return free.sort((a, b) => at(a) - at(b)).slice(0, Math.max(0, LISTENERS - listening.size));
}

export interface Hearing {
  /** Rounds in a row that failed, by source. */
  readonly failures: Map<string, number>;
  readonly signal: AbortSignal;
  /** How long an empty queue is waited at. */
  readonly waitSeconds?: number;
}

/** One round; a queue that fails again and again is told of as the source's own trouble, once, until it is heard again. */
export async function hearOnce(
  deps: SourcesDeps,
  engine: Engine,
  source: AnnouncedSource,
  { failures, signal, waitSeconds }: Hearing,
): Promise<void> {
  const { source_id: sourceId, tenant_id: tenantId } = source;
  let errorCode: string | null = null;
  try {
    await listen(deps, engine, source, signal, waitSeconds);
    failures.delete(sourceId);
  } catch (error) {
    if (signal.aborted) return;
    const fault = s3Fault(error, signal);
    errorCode = fault instanceof MillraceError ? fault.code : 'internal';
    const inARow = (failures.get(sourceId) ?? 0) + 1;
    failures.set(sourceId, inARow);
    deps.log.warn({ source: sourceId, code: errorCode, inARow }, 'announcements of a source could not be heard');
    if (inARow < FAILURES_TOLD) return;
  }
  if (errorCode === source.queue_error_code) return;
  await withTransaction(engine.pools.control, async (tx) => {
    await becomeRole(tx, SERVICES_ROLE);
    const wasHeard = await noteQueue(tx, sourceId, errorCode);
    await becomeRole(tx, 'millrace_engine');
    if (errorCode === null || !wasHeard) return;
    const data = JSON.stringify({ source_id: sourceId, error_code: errorCode });
    await insertEvents(tx, [{ tenantId, runId: null, type: 'source.unheard', key: '', data }]);
  });
}

async function listAll(engine: Engine): Promise<AnnouncedSource[]> {
  return withTransaction(engine.pools.control, async (tx) => {
    await becomeRole(tx, SERVICES_ROLE);
    return listAnnounced(tx);
  });
}

/** One long poll: its messages become one sync, then they are deleted. */
export async function listen(
  deps: SourcesDeps,
  engine: Engine,
  { tenant_id: tenantId, source_id: sourceId, queue_url: queueUrl }: Omit<AnnouncedSource, 'queue_error_code'>,
  signal: AbortSignal,
  waitSeconds = WAIT_SECONDS,
): Promise<number> {
  const source = await withTenant(engine.pools.control, { tenantId, role: 'sources_worker' }, (tx) =>
    findSource(tx, tenantId, sourceId),
  );
  if (source === undefined || source.paused_at !== null) return 0;
  const sqs = await import('@aws-sdk/client-sqs');
  const client = new sqs.SQSClient(queueConnection(deps, source, queueUrl));
  try {
    const { Messages: messages = [] } = await client.send(
      new sqs.ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: MESSAGES,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: HIDDEN_SECONDS,
      }),
      { abortSignal: signal },
    );
    if (messages.length === 0) return 0;
    const belongs = belongsTo(source);
    // The ledger keeps no NUL; the next listing says what becomes of such an object.
    const keys = [...new Set(messages.flatMap((message) => keysOf(message, source)))]
      .filter((key) => belongs(key) && !key.includes('\0') && Buffer.byteLength(key) <= KEY_BYTES)
      .slice(0, KEYS);
    if (keys.length > 0) {
      const { created } = await startSync(engine, source, { trigger: 'push', keys });
      // A sync at work may have passed these keys already: the messages come again when it has ended.
      if (!created) return 0;
    }
    await client.send(
      new sqs.DeleteMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: messages.map(({ ReceiptHandle }, index) => ({
          Id: String(index),
          ReceiptHandle: ReceiptHandle ?? '',
        })),
      }),
    );
    return keys.length;
  } finally {
    client.destroy();
  }
}

interface S3Event {
  readonly Records?: readonly {
    readonly eventName?: string;
    readonly s3?: { readonly bucket?: { readonly name?: string }; readonly object?: { readonly key?: string } };
  }[];
}

/** Of this bucket and of created objects only; keys come with plus signs and percent escapes. Whatever else arrives names no key. */
function keysOf({ Body }: Pick<Message, 'Body'>, { place }: Pick<SourceRow, 'place'>): string[] {
  try {
    const outer = JSON.parse(Body ?? '') as S3Event & { Message?: string };
    // Passed on by SNS, the event is text inside.
    const event: S3Event = typeof outer.Message === 'string' ? JSON.parse(outer.Message) : outer;
    return (event.Records ?? [])
      .filter(
        ({ eventName = '', s3 }) => /^(?:s3:)?ObjectCreated:/.test(eventName) && s3?.bucket?.name === place.bucket,
      )
      .flatMap(({ s3 }) =>
        s3?.object?.key === undefined ? [] : [decodeURIComponent(s3.object.key.replaceAll('+', ' '))],
      );
  } catch {
    return [];
  }
}

/** With the source's own keys or role, and to judged addresses only: the queue's address is somebody's word. */
function queueConnection(deps: SourcesDeps, source: SourceRow, queueUrl: string) {
  const { origin, hostname } = new URL(queueUrl);
  const guard = guardOf(deps);
  guard.requireCallable(hostname);
  const text = (name: string) => (typeof source.place[name] === 'string' ? String(source.place[name]) : undefined);
  const account = {
    region: text('region') ?? 'us-east-1',
    roleArn: text('role_arn'),
    externalId: text('external_id'),
    keys: keysOfCredential(openCredential(deps, source.source_id, source.credential)),
  };
  return { ...awsConnection(account, guard, 2), endpoint: origin, maxAttempts: 2 };
}
