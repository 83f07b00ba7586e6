// One attempt of one delivery: sign, call, judge the answer, record it. Delivery is at least once: when a process dies after the call and
// before the record, its lease expires and another process repeats the delivery with the same webhook-id.
import type { MillraceError } from '../../contract/errors/millrace-error.ts';
import { insertEvents } from '../../engine/sql/insert-events.ts';
import { type Pool, type Queryable, withTransaction } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { redactText } from '../../platform/redaction.ts';
import { type GuardedAnswer, guardedRequest } from '../guarded-request.ts';
import { webhookIdOf } from './payload.ts';
import { pauseBeforeTry } from './retry-table.ts';
import { type SealingBox, signedHeaders } from './secrets.ts';
import type { ClaimedDelivery } from './sql/claim-deliveries.ts';
import { failWaiting } from './sql/deliveries.ts';
import { disableEndpoint, lockEndpoint } from './sql/endpoints.ts';
import { noteFailure, noteSuccess, recordTry, releaseDelivery } from './sql/record-try.ts';
import { judgeAnswer, judgeFailure, type Verdict } from './verdict.ts';
import type { WebhookSettings } from './webhook-settings.ts';

export interface DeliverDeps {
  /** Runs as millrace_engine. */
  readonly pool: Pool;
  readonly box: SealingBox;
  readonly settings: WebhookSettings;
  /** For tests: the addresses of a name. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export interface Tried {
  readonly verdict: Verdict;
  readonly ms: number;
  /** released: this process is stopping · lost: somebody else has the delivery by now */
  readonly outcome: 'delivered' | 'waiting' | 'failed' | 'released' | 'lost';
  /** The endpoint was switched off because of this try. */
  readonly disabled: 'gone' | 'failing' | undefined;
}

const maxExcerpt = 500;

export async function deliver(deps: DeliverDeps, delivery: ClaimedDelivery, signal?: AbortSignal): Promise<Tried> {
  const startedAt = performance.now();
  const { verdict, text } = await call(deps, delivery, signal);
  const ms = Math.round(performance.now() - startedAt);
  failpoint('webhook.called_not_noted');
  if (signal?.aborted && verdict.kind !== 'delivered') {
    await releaseDelivery(deps.pool, delivery.delivery_id, delivery.attempts);
    return { verdict, ms, outcome: 'released', disabled: undefined };
  }
  const ended = await withTransaction(deps.pool, async (tx) => {
    const written = await writeDown(tx, deps.settings, delivery, verdict, text, ms);
    failpoint('webhook.before_commit');
    return written;
  });
  failpoint('webhook.after_commit');
  return { verdict, ms, ...ended };
}

async function call(
  { box, settings, resolve }: DeliverDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal | undefined,
): Promise<{ verdict: Verdict; text: string | null }> {
  try {
    const message = { id: webhookIdOf(delivery.event_id), at: new Date(), body: delivery.payload };
    const answer: GuardedAnswer = await guardedRequest({
      url: delivery.url,
      method: 'POST',
      headers: signedHeaders(box, delivery, message),
      body: message.body,
      timeoutMs: settings.timeoutMs,
      allowPrivate: settings.allowPrivate,
      ...(signal ? { signal } : {}),
      ...(resolve ? { resolve } : {}),
    });
    return { verdict: judgeAnswer(delivery.endpoint_id, answer), text: answer.text };
  } catch (error) {
    return { verdict: judgeFailure(error), text: null };
  }
}

async function writeDown(
  tx: Queryable,
  settings: WebhookSettings,
  delivery: ClaimedDelivery,
  verdict: Verdict,
  text: string | null,
  ms: number,
): Promise<Pick<Tried, 'outcome' | 'disabled'>> {
  // The endpoint first, as everywhere: it may have been switched off or removed meanwhile.
  const endpoint = await lockEndpoint(tx, delivery.tenant_id, delivery.endpoint_id);
  if (endpoint === undefined) return { outcome: 'lost', disabled: undefined };
  const next = nextOf(settings, delivery, verdict, endpoint.disabled_reason !== null);
  const isOurs = await recordTry(tx, {
    deliveryId: delivery.delivery_id,
    tenantId: delivery.tenant_id,
    attempt: delivery.attempts,
    httpStatus: verdict.status,
    errorCode: verdict.error?.code ?? null,
    excerpt: excerptOf(text),
    ms,
    ...next,
  });
  if (!isOurs) return { outcome: 'lost', disabled: undefined };
  // A test says something about the endpoint to the person who asked, and to nobody else.
  if (isTest(delivery)) return { outcome: next.status, disabled: undefined };
  if (verdict.error === null) {
    await noteSuccess(tx, delivery.endpoint_id);
    return { outcome: next.status, disabled: undefined };
  }
  return { outcome: next.status, disabled: await noteTrouble(tx, settings, delivery, verdict, verdict.error) };
}

/** Where the delivery goes from here. */
function nextOf(
  settings: WebhookSettings,
  delivery: ClaimedDelivery,
  verdict: Verdict,
  isDisabled: boolean,
): { status: 'waiting' | 'delivered' | 'failed'; step: number; delayMs: number | null } {
  const { step } = delivery;
  if (verdict.kind === 'delivered') return { status: 'delivered', step, delayMs: null };
  if (verdict.kind === 'gone' || isDisabled || isTest(delivery)) return { status: 'failed', step, delayMs: null };
  const pause = pauseBeforeTry(step, settings.retryTableMs);
  // "Retry-After: 0" is not taken at its word.
  if (verdict.kind === 'later') return { status: 'waiting', step, delayMs: Math.max(verdict.waitMs, pause ?? 0) };
  if (pause === undefined) return { status: 'failed', step, delayMs: null };
  return { status: 'waiting', step: step + 1, delayMs: Math.max(pause, verdict.waitMs) };
}

/** The endpoint's streak, and its end where it has lasted too long: switched off, what waits is failed, an event says so. */
async function noteTrouble(
  tx: Queryable,
  settings: WebhookSettings,
  { tenant_id: tenantId, endpoint_id: endpointId }: ClaimedDelivery,
  verdict: Verdict,
  error: MillraceError,
): Promise<'gone' | 'failing' | undefined> {
  const failing = await noteFailure(tx, endpointId, error.code, verdict.kind === 'later' ? verdict.waitMs : 0);
  if (failing === undefined) return undefined;
  const isTooLong =
    failing.failing_ms >= settings.disableAfterMs && failing.failure_streak >= settings.disableAfterFailures;
  const reason = verdict.kind === 'gone' ? 'gone' : isTooLong ? 'failing' : undefined;
  if (reason === undefined || !(await disableEndpoint(tx, tenantId, endpointId, reason))) return undefined;
  await failWaiting(tx, tenantId, endpointId);
  const data = JSON.stringify({
    endpoint_id: endpointId,
    reason,
    failures: failing.failure_streak,
    error_code: error.code,
  });
  await insertEvents(tx, [{ tenantId, runId: null, type: 'webhook.disabled', key: endpointId, data }]);
  return reason;
}

function isTest({ event_type: type }: ClaimedDelivery): boolean {
  return type === 'webhook.test';
}

/** What the receiver said, for the person who looks into the log. NUL cannot be stored. */
function excerptOf(text: string | null): string | null {
  if (text === null || text === '') return null;
  return redactText(text.replaceAll('\u0000', '').slice(0, maxExcerpt)).slice(0, 2 * maxExcerpt);
}
