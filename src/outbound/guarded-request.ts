// Makes one call to an address that somebody else chose (a webhook, an alert). It promises:
//   - it resolves a host once per call, judges every address and connects to one of those addresses, so that a name which changes
//     between check and use gains nothing;
//   - one refused address refuses the host: a name with a public and a private address is a trap, not a server;
//   - it never follows a redirect: a 3xx is an answer like any other, and the caller counts it as a failure;
//   - it reads at most `maxTextBytes` of the answer, and the whole call ends within `timeoutMs`.
// Each call opens its own connection: tenants share none, and none outlives its check.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { askedWaitMs } from '../platform/retry-after.ts';
import { classifyAddress } from './address-class.ts';

export interface GuardedRequest {
  readonly url: string;
  readonly method?: 'POST' | 'GET' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole call: name, connection, answer. */
  readonly timeoutMs: number;
  /** ALLOW_PRIVATE_WEBHOOKS. */
  readonly allowPrivate: boolean;
  readonly signal?: AbortSignal;
  /** How many bytes of the answer to keep. */
  readonly maxTextBytes?: number;
  /** All addresses of a name; the system's resolver by default. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export interface GuardedAnswer {
  readonly status: number;
  /** The beginning of the body. Untrusted. */
  readonly text: string;
  readonly ms: number;
  /** From Retry-After, where there is a believable one. */
  readonly retryAfterMs?: number;
}

const defaultTextBytes = 4_096;
const maxUrlLength = 2_048;
const userAgent = 'Millrace (webhooks)';

/** Throws `outbound_url_invalid`, `outbound_address_refused`, `outbound_timeout` or `outbound_unreachable`; any status is an answer. */
export async function guardedRequest(call: GuardedRequest): Promise<GuardedAnswer> {
  const url = checkOutboundUrl(call.url, call.allowPrivate);
  // Loaded with the first call: most processes make none.
  const undici = await import('undici');
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(call.timeoutMs);
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
  const connect = guardedConnector(undici.buildConnector({ timeout: call.timeoutMs }), call, signal);
  const client = new undici.Client(url.origin, { connect, pipelining: 0 });
  try {
    const answer = await client.request({
      path: `${url.pathname}${url.search}`,
      method: call.method ?? 'POST',
      headers: { 'user-agent': userAgent, ...call.headers },
      body: call.body ?? null,
      signal,
      headersTimeout: call.timeoutMs,
      bodyTimeout: call.timeoutMs,
    });
    const text = await readStart(answer.body, call.maxTextBytes ?? defaultTextBytes);
    const waitMs = askedWaitMs(answer.headers);
    return {
      status: answer.statusCode,
      text,
      ms: Math.round(performance.now() - startedAt),
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    };
  } catch (error) {
    throw failureOf(error, url, timeout, call);
  } finally {
    // Not awaited: a peer that does not close its side must not hold us up.
    void client.destroy().catch(() => {});
  }
}

/** Every check of an address that needs no DNS: for code that stores one. */
export function checkOutboundUrl(text: string, allowPrivate: boolean): URL {
  if (text.length > maxUrlLength) throw invalid(`it is longer than ${maxUrlLength} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid('it is not a web address');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('it does not start with http or https');
  if (url.username !== '' || url.password !== '') throw invalid('it carries a user name or a password');
  const host = bareHost(url.hostname);
  // The URL parser has turned every odd spelling (decimal, hex, octal, short, full-width) into the plain one.
  if (isIP(host) !== 0) assertCallable(host, [host], allowPrivate);
  else if (/^(?:.+\.)?localhost\.?$/.test(host)) assertCallable(host, ['127.0.0.1'], allowPrivate);
  return url;
}

function guardedConnector(
  connect: buildConnector.connector,
  call: GuardedRequest,
  signal: AbortSignal,
): buildConnector.connector {
  return (options, callback) => {
    const host = bareHost(options.hostname);
    const opening = resolveChecked(host, call).then((addresses) => connectToFirst(connect, options, addresses, signal));
    // Undici ends a request that is not connected yet only when its connector does: hence the race.
    void Promise.race([opening, rejectOn(signal)]).then(
      (socket) => callback(null, socket),
      (error: unknown) => {
        opening.then(
          (late) => late.destroy(),
          () => {},
        );
        callback(error instanceof Error ? error : new Error('no connection'), null);
      },
    );
  };
}

async function resolveChecked(host: string, call: GuardedRequest): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await (call.resolve ?? resolveBySystem)(host) : [host];
  assertCallable(host, addresses, call.allowPrivate);
  return addresses;
}

/** The addresses in turn; the name stays what the certificate is checked against. Nothing is looked up any more. */
async function connectToFirst(
  connect: buildConnector.connector,
  options: buildConnector.Options,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Exclude<Parameters<buildConnector.Callback>[1], null>> {
  let failure: Error = new Error('the name has no address');
  for (const address of addresses) {
    if (signal.aborted) break;
    const attempt = await new Promise<Parameters<buildConnector.Callback>>((resolve) =>
      connect({ ...options, hostname: address }, (...result) => resolve(result)),
    );
    // Undici leaves the socket out where its types say null.
    if (attempt[1]) return attempt[1];
    failure = attempt[0] ?? failure;
  }
  throw failure;
}

async function resolveBySystem(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function assertCallable(host: string, addresses: readonly string[], allowPrivate: boolean): void {
  const isCallable = (address: string) => {
    const found = classifyAddress(address);
    return found === 'public' || (found === 'private' && allowPrivate);
  };
  // The addresses are not named: the answer must not draw a map of the network behind us.
  if (!addresses.every(isCallable)) throw new MillraceError('outbound_address_refused', { host });
}

/** The first bytes; the rest is not read. */
async function readStart(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part as Buffer);
    bytes += (part as Buffer).byteLength;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString('utf8');
}

function failureOf(error: unknown, url: URL, timeout: AbortSignal, call: GuardedRequest): MillraceError {
  if (error instanceof MillraceError) return error;
  const host = url.host;
  const { code = '', cause } = error as { code?: string; cause?: { code?: string } };
  if (timeout.aborted || /TIMEOUT/.test(code))
    return new MillraceError('outbound_timeout', { host, seconds: call.timeoutMs / 1_000 }, { cause: error });
  const reason = call.signal?.aborted ? 'this process is stopping' : code || cause?.code || 'the connection broke off';
  return new MillraceError('outbound_unreachable', { host, reason }, { cause: error });
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function invalid(reason: string): MillraceError {
  return new MillraceError('outbound_url_invalid', { reason });
}
