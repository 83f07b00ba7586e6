// The sender takes due messages, one per sink at a time, sends them and records the result. It is safe in every process. Taking a message
// moves its due time ahead, so that another process sends the message of a killed sender: at most once more per kill, with the same key.
// No message is lost.
import type { Elected } from '../../engine/services/election.ts';
import { createLoop, type Service } from '../../engine/services/loop.ts';
import type { Pool } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import type { Log } from '../../platform/log.ts';
import type { AlertSettings } from './alert-settings.ts';
import { deliver, type Verdict } from './deliver.ts';
import { digestOf } from './messages.ts';
import { dedupKeyOf, digestKeyOf, linkOf, type Notice } from './notice.ts';
import { openTarget, type SinkBox } from './sink-target.ts';
import { type DueSend, dropRest, endSend, noteSinkHealth, takeSends } from './sql/sends.ts';
import { foldStorms } from './storms.ts';

export interface SenderOptions {
  /** Runs as millrace_engine. */
  readonly pool: Pool;
  readonly box: SinkBox;
  readonly log: Log;
  readonly settings: AlertSettings;
  readonly election?: Elected;
}

const SINKS_AT_ONCE = 8;
/** A loop that finds nothing looks this many times less often. */
const IDLE_POLLS = 20;
/** Beyond the call's own time limit: writing down the answer takes a moment. */
const LEASE_SLACK_MS = 15_000;
const UNREADABLE = { kind: 'refused', status: null, code: 'alert_sink_unreadable', ms: 0 } as const;

export function createAlertSender(options: SenderOptions): Service {
  const stop = new AbortController();
  const loop = createLoop({
    name: 'alert sender',
    everyMs: options.settings.sendPollMs,
    idleMs: options.settings.sendPollMs * IDLE_POLLS,
    election: options.election,
    log: options.log,
    tick: async () => ((await sendDue(options, stop.signal)) > 0 ? 0 : undefined),
  });
  return {
    ...loop,
    async stop() {
      stop.abort();
      await loop.stop();
    },
  };
}

/** One round; how many messages were taken. */
export async function sendDue(options: SenderOptions, signal?: AbortSignal): Promise<number> {
  const { pool, settings } = options;
  await foldStorms(pool, settings);
  const due = await takeSends(pool, settings.timeoutMs + LEASE_SLACK_MS, SINKS_AT_ONCE);
  failpoint('alerts.send_taken');
  await Promise.all(due.map((send) => sendOne(options, send, signal)));
  return due.length;
}

async function sendOne(
  { pool, box, log, settings }: SenderOptions,
  send: DueSend,
  signal?: AbortSignal,
): Promise<void> {
  const target = openTarget(box, send.sink_id, send.target);
  const notice = noticeOf(send, settings.publicUrl);
  const verdict = target === undefined ? UNREADABLE : await deliver(send.sink_kind, target, notice, settings, signal);
  failpoint('alerts.sent_not_noted');
  if (signal?.aborted && verdict.kind !== 'sent') return release(pool, send);
  const end = endOf(verdict, send, settings);
  await endSend(pool, { sendId: send.send_id, attempts: send.attempts, ...end });
  if (end.status === 'failed' && send.what === 'open') await dropRest(pool, send.alert_id, send.sink_id);
  if (verdict.kind === 'nothing') return;
  const isOk = verdict.kind === 'sent';
  const pauseMs = verdict.kind === 'slow' ? end.delayMs : null;
  await noteSinkHealth(pool, { sinkId: send.sink_id, isOk, errorCode: isOk ? null : verdict.code, pauseMs });
  const line = { alert: send.alert_id, rule: send.rule, sink: send.sink_id, attempt: send.attempts };
  if (end.status === 'failed')
    log.error({ ...line, code: end.errorCode ?? '' }, 'an alert could not be sent and is given up');
  else if (!isOk) log.warn({ ...line, code: end.errorCode ?? '' }, 'an alert was not sent; it is tried again');
}

/** This process is stopping: another one need not wait for the lease. */
async function release(pool: Pool, send: DueSend): Promise<void> {
  const { send_id: sendId, attempts } = send;
  await endSend(pool, { sendId, attempts, status: 'waiting', httpStatus: null, errorCode: null, delayMs: 0 });
}

function endOf(verdict: Verdict, send: DueSend, settings: AlertSettings) {
  switch (verdict.kind) {
    case 'sent':
      return { status: 'sent', httpStatus: verdict.status, errorCode: null, delayMs: 0 } as const;
    case 'nothing':
      return { status: 'dropped', httpStatus: null, errorCode: null, delayMs: 0 } as const;
    case 'refused':
      return { status: 'failed', httpStatus: verdict.status, errorCode: verdict.code, delayMs: 0 } as const;
    case 'slow':
    case 'again': {
      const isOver = send.age_ms > settings.giveUpMs;
      const told = verdict.kind === 'slow' ? verdict.pauseMs : undefined;
      const status = isOver ? ('failed' as const) : ('waiting' as const);
      const delayMs = told ?? backoff(send.attempts, settings);
      return { status, httpStatus: verdict.status, errorCode: verdict.code, delayMs };
    }
  }
}

/** Doubled from try to try, with a quarter of jitter, up to the cap. */
export function backoff(attempts: number, { backoffMs, backoffCapMs }: AlertSettings, random = Math.random()): number {
  const base = backoffMs * 2 ** Math.min(attempts - 1, 20);
  return Math.min(backoffCapMs, Math.round(base * (0.75 + random / 2)));
}

function noticeOf(send: DueSend, publicUrl: string): Notice {
  const isDigest = send.what === 'digest' || send.what === 'digest_end';
  return isDigest ? digestNotice(send, publicUrl) : alertNotice(send, publicUrl);
}

/** About many alerts of one rule: no run of its own, the list instead. All digests of a storm are one incident. */
function digestNotice(send: DueSend, publicUrl: string): Notice {
  return {
    ...alertNotice(send, publicUrl),
    dedupKey: digestKeyOf(send.tenant_id, send.rule),
    // Tells the digests of one storm apart.
    round: send.send_id,
    alertId: null,
    message: digestOf(send.rule, send.message, send.folded),
    pipeline: null,
    runId: null,
    link: `${publicUrl}/operate/alerts`,
    value: null,
    threshold: null,
    occurrences: send.folded,
  };
}

function alertNotice(send: DueSend, publicUrl: string): Notice {
  return {
    what: send.what,
    round: send.round,
    dedupKey: dedupKeyOf(send.alert_id),
    alertId: send.alert_id,
    tenantId: send.tenant_id,
    rule: send.rule,
    severity: send.severity,
    message: send.message,
    pipeline: send.pipeline,
    runId: send.run_id,
    link: linkOf(publicUrl, { runId: send.run_id, pipeline: send.pipeline }),
    value: send.value,
    threshold: send.threshold,
    occurrences: send.occurrences,
    openedAt: send.opened_at,
    resolvedAt: send.resolved_at,
  };
}
