// Sends one message to one sink and interprets the answer: sent, try again at a given time, or refused for good. It reads an answer's text
// only for Discord's retry_after, and never stores or shows it.
import type { AlertSinkKind } from '../../contract/api/alert-metrics.ts';
import type { AnyErrorCode } from '../../contract/errors/catalogue.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { type GuardedAnswer, guardedRequest } from '../guarded-request.ts';
import type { AlertSettings } from './alert-settings.ts';
import type { Compose, Notice, SinkTarget } from './notice.ts';
import { composeDiscord } from './sinks/discord.ts';
import { composePagerDuty } from './sinks/pagerduty.ts';
import { composeSlack } from './sinks/slack.ts';
import { composeWebhook } from './sinks/webhook.ts';

export type Verdict =
  | { readonly kind: 'sent'; readonly status: number; readonly ms: number }
  /** It has nothing to say to such a sink. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'again'; readonly status: number | null; readonly code: AnyErrorCode; readonly ms: number }
  /** The receiver asks for a pause, which holds for the whole sink. */
  | {
      readonly kind: 'slow';
      readonly status: number;
      readonly code: AnyErrorCode;
      readonly pauseMs: number | undefined;
      readonly ms: number;
    }
  | { readonly kind: 'refused'; readonly status: number | null; readonly code: AnyErrorCode; readonly ms: number };

const composers: Readonly<Record<AlertSinkKind, Compose>> = {
  discord: composeDiscord,
  slack: composeSlack,
  pagerduty: composePagerDuty,
  webhook: composeWebhook,
};

const MAX_PAUSE_MS = 3_600_000;

export async function deliver(
  kind: AlertSinkKind,
  target: SinkTarget,
  notice: Notice,
  settings: Pick<AlertSettings, 'allowPrivate' | 'timeoutMs'>,
  signal?: AbortSignal,
): Promise<Verdict> {
  const call = composers[kind](notice, target);
  if (call === undefined) return { kind: 'nothing' };
  const startedAt = performance.now();
  try {
    const { allowPrivate, timeoutMs } = settings;
    const answer = await guardedRequest({
      ...call,
      method: 'POST',
      timeoutMs,
      allowPrivate,
      ...(signal === undefined ? {} : { signal }),
    });
    return judge(answer);
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    const ms = Math.round(performance.now() - startedAt);
    return { kind: error.kind === 'transient' ? 'again' : 'refused', status: null, code: error.code, ms };
  }
}

function judge(answer: GuardedAnswer): Verdict {
  const { status, ms } = answer;
  if (status >= 200 && status < 300) return { kind: 'sent', status, ms };
  if (status === 429) return { kind: 'slow', status, code: 'alert_slowed', pauseMs: pauseOf(answer), ms };
  const isPassing = status >= 500 || status === 408 || status === 425;
  return isPassing
    ? { kind: 'again', status, code: 'alert_unsent', ms }
    : { kind: 'refused', status, code: 'alert_refused', ms };
}

/** Discord says it in the body, in seconds with a fraction; the others in the header. */
function pauseOf({ text, retryAfterMs }: GuardedAnswer): number | undefined {
  const inBody = /"retry_after"\s*:\s*(\d{1,6}(?:\.\d{1,6})?)/.exec(text)?.[1];
  const ms = inBody === undefined ? retryAfterMs : Math.ceil(Number(inBody) * 1_000);
  return ms === undefined ? undefined : Math.min(ms, MAX_PAUSE_MS);
}
