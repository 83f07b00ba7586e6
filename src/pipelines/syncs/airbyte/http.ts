// One call to Airbyte: time-out, exact JSON, and every failure as one of our errors. No token and no body of a refusal gets
// into an error's text beyond a short, redacted detail.
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { redactText } from '../../../platform/redaction.ts';
import { askedWaitMs, headerOf } from '../../../platform/retry-after.ts';
import { Problem } from './answers.ts';
import { codeFor } from './error-table.ts';
import { parseExactJson } from './exact-json.ts';

export interface HttpCall<S extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly answer: S;
  /** For messages: "job", "connection". */
  readonly what: string;
  readonly timeoutMs: number;
  readonly dispatcher?: Dispatcher;
  /** Statuses that mean something else for this connector. */
  readonly errorKinds?: Readonly<Record<string, string>>;
}

const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_DETAIL = 300;

export async function callAirbyte<S extends z.ZodType>(call: HttpCall<S>): Promise<z.output<S>> {
  const { status, headers, text } = await send(call);
  if (status < 200 || status > 299) throw refusal(call, status, headers, text);
  const parsed = call.answer.safeParse(tryParse(text));
  if (parsed.success) return parsed.data;
  throw new MillraceError('airbyte_unreadable', { status, type: mediaType(headers) });
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

async function send(call: HttpCall<z.ZodType>): Promise<Received> {
  // Loaded with the first call: most processes make none.
  const { request } = await import('undici');
  // One signal for the whole call: a peer that sends a byte a minute must not get past it.
  const signal = AbortSignal.timeout(call.timeoutMs);
  try {
    const answer = await request(call.url, {
      method: call.method,
      headers: {
        accept: 'application/json',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal,
      headersTimeout: call.timeoutMs,
      bodyTimeout: call.timeoutMs,
      ...(call.dispatcher ? { dispatcher: call.dispatcher } : {}),
    });
    return { status: answer.statusCode, headers: answer.headers, text: await readBody(answer.body) };
  } catch (error) {
    throw networkFailure(error, signal, call.timeoutMs);
  }
}

async function readBody(body: Dispatcher.ResponseData['body']): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += (part as Buffer).byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Error('the answer is too long');
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}

function networkFailure(error: unknown, signal: AbortSignal, timeoutMs: number): MillraceError {
  const { code = '', name = '', message = '' } = error as { code?: string; name?: string; message?: string };
  if (signal.aborted || name === 'TimeoutError' || /TIMEOUT/.test(code))
    return new MillraceError('airbyte_timeout', { seconds: timeoutMs / 1_000 }, { cause: error });
  return new MillraceError('airbyte_unreachable', { reason: code || redactText(message) }, { cause: error });
}

function refusal(call: HttpCall<z.ZodType>, status: number, headers: Received['headers'], text: string): MillraceError {
  const parsed = Problem.safeParse(tryParse(text));
  const problem = parsed.success ? parsed.data : {};
  const code = codeFor(status, problem.type, call.errorKinds);
  const waitMs = askedWaitMs(headers);
  const said = problem.detail ?? problem.data?.message ?? problem.message ?? problem.title ?? mediaType(headers);
  // Our sentence ends with a full stop of its own.
  const detail = redactText(said)
    .slice(0, MAX_DETAIL)
    .replace(/[.\s]+$/, '');
  const params = { status, what: call.what, detail };
  return new MillraceError(code, params, waitMs === undefined ? {} : { retryAfterMs: waitMs });
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function mediaType(headers: Received['headers']): string {
  return headerOf(headers, 'content-type')?.split(';')[0]?.trim().slice(0, 60) || 'no content type';
}
