// A small TCP proxy before the server, and the weather on it. What a network does to a database client: the answer is lost, the
// connection is reset before the answer while the server still works on the request, the request never arrives, everything falls
// silent without closing, or answers come late. Weather is drawn per request; `silence` and `cutWaiting` strike when they are called.
import net from 'node:net';
import type { Random } from './random.ts';

/** Chances per request. A request whose bytes hold a COMMIT draws from `commit`, where that is given. */
export interface Weather {
  /** The server has answered, so it was done; the connection is cut before the client hears of it. */
  readonly loseAnswer?: Chance;
  /** The client is reset at once. The server has the request, works on and finds nobody to answer to. */
  readonly cutBefore?: Chance;
  /** Cut on both sides; the server never sees the request. */
  readonly loseRequest?: Chance;
  /** From here on nothing passes in either direction, and neither side is told. */
  readonly silence?: Chance;
  /** The answer waits for up to this long, in its order. */
  readonly delay?: Chance & { readonly maxMs: number };
}

export interface Chance {
  readonly commit?: number;
  readonly other: number;
}

export type Fault = Exclude<keyof Weather, 'delay'>;

export interface ChaosProxy {
  readonly port: number;
  /** How often each struck so far; `commits` of all of them struck a COMMIT. */
  readonly struck: Readonly<Record<Fault | 'delay' | 'commits', number>>;
  /** The given address as seen through this proxy. */
  urlOf(url: string): string;
  /** Until it is set again, or has struck so often. */
  setWeather(weather: Weather, times?: number): void;
  /** From now on nothing happens to requests. Connections that have fallen silent stay silent. */
  calm(): void;
  /** Every connection that is open now falls silent; new ones work. How many. */
  silence(): number;
  /** Resets the client's side of every connection that has waited for an answer for so long. The server works on. How many. */
  cutWaiting(sinceMs: number): number;
  close(): Promise<void>;
}

interface Pair {
  readonly client: net.Socket;
  readonly upstream: net.Socket;
  isSilent: boolean;
  /** The client's side is gone; the server's ends when it has answered. */
  isDeaf: boolean;
  doom: { fault: Fault; isCommit: boolean } | undefined;
  chunks: number;
  waitingSince: number | undefined;
  answers: Promise<void>;
}

const faults = ['loseAnswer', 'cutBefore', 'loseRequest', 'silence'] as const satisfies readonly Fault[];
const COMMIT = Buffer.from('commit\0');
/** Requests of the handshake are passed on: a connection that never comes about is another suite's. */
const HANDSHAKE_CHUNKS = 4;
/** Sessions of the server that nobody speaks to any more; the oldest ones go. */
const MAX_FORGOTTEN = 60;

export async function openProxy(
  target: { readonly host: string; readonly port: number },
  random?: Random,
): Promise<ChaosProxy> {
  const struck = { loseAnswer: 0, cutBefore: 0, loseRequest: 0, silence: 0, delay: 0, commits: 0 };
  const pairs = new Set<Pair>();
  const forgotten: net.Socket[] = [];
  let weather: Weather = {};
  let strikesLeft = Number.POSITIVE_INFINITY;

  const isDrawn = (chance: Chance | undefined, isCommit: boolean) =>
    chance !== undefined && random?.chance(isCommit ? (chance.commit ?? chance.other) : chance.other) === true;

  function drawFault(isCommit: boolean): Fault | undefined {
    if (strikesLeft <= 0) return undefined;
    const drawn = faults.find((fault) => isDrawn(weather[fault], isCommit));
    if (drawn !== undefined) strikesLeft -= 1;
    return drawn;
  }

  function count(fault: Fault, isCommit: boolean): void {
    struck[fault] += 1;
    if (isCommit) struck.commits += 1;
  }

  function end(pair: Pair): void {
    pairs.delete(pair);
    pair.client.destroy();
    pair.upstream.destroy();
  }

  /** The server is left with a session that nobody will speak to. */
  function forget(pair: Pair): void {
    forgotten.push(pair.upstream);
    if (forgotten.length > MAX_FORGOTTEN) forgotten.shift()?.destroy();
  }

  function silence(pair: Pair): void {
    pair.isSilent = true;
    forget(pair);
  }

  function cutClient(pair: Pair): void {
    pair.isDeaf = true;
    pair.client.resetAndDestroy();
    forget(pair);
  }

  function onRequest(pair: Pair, chunk: Buffer): void {
    if (pair.isSilent || pair.isDeaf) return;
    pair.chunks += 1;
    pair.waitingSince ??= performance.now();
    const isCommit = chunk.includes(COMMIT);
    const fault = pair.chunks > HANDSHAKE_CHUNKS && !pair.doom ? drawFault(isCommit) : undefined;
    if (fault !== undefined && fault !== 'loseAnswer') count(fault, isCommit);
    if (fault === 'loseRequest') end(pair);
    else if (fault === 'silence') silence(pair);
    else pair.upstream.write(chunk);
    if (fault === 'loseAnswer') pair.doom = { fault, isCommit };
    if (fault === 'cutBefore') cutClient(pair);
  }

  function onAnswer(pair: Pair, chunk: Buffer): void {
    pair.waitingSince = undefined;
    if (pair.isSilent) return;
    if (pair.isDeaf) pair.upstream.end();
    else if (pair.doom) {
      count(pair.doom.fault, pair.doom.isCommit);
      end(pair);
    } else passOn(pair, chunk);
  }

  function passOn(pair: Pair, chunk: Buffer): void {
    const isLate = pair.chunks > HANDSHAKE_CHUNKS && isDrawn(weather.delay, false);
    if (isLate) struck.delay += 1;
    const lateMs = isLate ? (random?.between(1, weather.delay?.maxMs ?? 1) ?? 0) : 0;
    pair.answers = pair.answers.then(async () => {
      if (lateMs > 0) await new Promise((resolve) => setTimeout(resolve, lateMs));
      if (!pair.client.destroyed && !pair.isSilent) pair.client.write(chunk);
    });
  }

  const server = net.createServer((client) => {
    const upstream = net.connect(target.port, target.host);
    const pair: Pair = {
      ...{ client, upstream, isSilent: false, isDeaf: false, doom: undefined, chunks: 0, waitingSince: undefined },
      answers: Promise.resolve(),
    };
    pairs.add(pair);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    client.on('data', (chunk) => onRequest(pair, chunk));
    upstream.on('data', (chunk) => onAnswer(pair, chunk));
    client.on('close', () => {
      if (!pair.isSilent && !pair.isDeaf) end(pair);
    });
    upstream.on('close', () => {
      // What the server said last is still on its way.
      if (!pair.isSilent) void pair.answers.then(() => end(pair));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;

  return {
    port,
    struck,
    urlOf(url) {
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    setWeather(next, times = Number.POSITIVE_INFINITY) {
      weather = next;
      strikesLeft = times;
    },
    calm() {
      weather = {};
    },
    silence() {
      const open = [...pairs].filter((pair) => !pair.isSilent && !pair.isDeaf);
      for (const pair of open) silence(pair);
      struck.silence += open.length;
      return open.length;
    },
    cutWaiting(sinceMs) {
      const before = performance.now() - sinceMs;
      const waiting = [...pairs].filter(
        (pair) => !pair.isSilent && !pair.isDeaf && pair.waitingSince !== undefined && pair.waitingSince <= before,
      );
      for (const pair of waiting) cutClient(pair);
      struck.cutBefore += waiting.length;
      return waiting.length;
    },
    async close() {
      for (const pair of pairs) end(pair);
      for (const socket of forgotten) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Host and port of a connection string. */
export function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
