// A faithful fake Airbyte on a real HTTP server on loopback: endpoints, statuses and error shapes of the public API, job ids beyond
// 2^53, tokens that end, and knobs for everything that can go wrong between us and it.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Random, randomFrom } from '../../chaos/random.ts';
import { busy, type FakeAnswer, forbidden, htmlPage, notFound, shedding, unauthorized, unexpected } from './answers.ts';
import {
  cancelJob,
  createJob,
  type FakeRequest,
  getJob,
  getSource,
  issueToken,
  listConnections,
  listJobs,
  type World,
} from './endpoints.ts';
import { type FakeConnection, type FakeJob, isLive, type Outcome } from './jobs.ts';
import { calm, type Knobs } from './knobs.ts';

export interface FakeAirbyteOptions {
  readonly knobs?: Partial<Knobs>;
  readonly seed?: number;
  readonly token?: string;
  readonly tokenLifeMs?: number;
  /** How long a sync takes, by Airbyte's clock. */
  readonly runMs?: number | ((connectionId: string) => number);
  readonly outcome?: (job: { connectionId: string; number: number }) => Outcome;
  readonly rows?: number | undefined;
  /** Airbyte's clock before the skew. Default: this machine's. */
  readonly clock?: () => number;
  /** Called before a trigger has its effect, with the caller's token. `false`: it has none, and no answer is ever sent. */
  readonly beforeTrigger?: (connectionId: string, token: string) => boolean;
  /** Called when a job was made, before the answer is sent. `false`: no answer is ever sent. */
  readonly beforeAnswer?: (job: FakeJob, token: string) => boolean;
}

export interface FakeAirbyte {
  readonly url: string;
  readonly token: string;
  readonly workspaceId: string;
  readonly world: World;
  /** Every request: "POST /jobs 200". */
  readonly log: string[];
  /** Authorization headers and bodies that came in, to look for in places where they must not be. */
  readonly secretsSeen: Set<string>;
  knobs: Knobs;
  addConnection(given?: Partial<FakeConnection>): FakeConnection;
  jobsOf(connectionId: string): FakeJob[];
  isRunning(connectionId: string): boolean;
  /** Ends the jobs that run, without waiting for the clock. */
  close(): Promise<void>;
}

const FIRST_JOB_ID = 9_007_199_254_740_993n;

export async function startFakeAirbyte(options: FakeAirbyteOptions = {}): Promise<FakeAirbyte> {
  const random = randomFrom(options.seed ?? 1);
  const token = options.token ?? `static-${randomUUID()}`;
  const log: string[] = [];
  const secretsSeen = new Set<string>();
  const world = buildWorld(options, () => fake.knobs.clockSkewMs);
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    const authorization = incoming.headers.authorization?.replace(/^Bearer /, '');
    if (authorization) secretsSeen.add(authorization);
    const { knobs } = fake;
    const isTrigger = request.method === 'POST' && request.path === '/jobs';
    const note = (what: string | number) => log.push(`${request.method} ${request.path} ${what}`);
    const refusal = refuse(random, knobs, request, isTrigger);
    if (refusal) return send(response, refusal, note);
    if (isTrigger && options.beforeTrigger?.(String(request.body.connectionId), authorization ?? '') === false) {
      note('no effect');
      return;
    }
    const loss = lose(random, knobs);
    if (loss !== undefined && !random.chance(knobs.effectBeforeLoss)) return act(loss, response, note);
    const isToken = request.path === '/applications/token';
    const answer: FakeAnswer & { job?: FakeJob } =
      !isToken && !isKnown(world, token, authorization) ? unauthorized() : answerTo(world, request);
    if (answer.job && options.beforeAnswer?.(answer.job, authorization ?? '') === false) {
      note('no answer');
      return;
    }
    if (loss !== undefined) return act(loss, response, note);
    if (random.chance(knobs.slow)) await pause(knobs.slowMs);
    send(response, answer, note);
  }

  const fake: FakeAirbyte = {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    },
    token,
    workspaceId: randomUUID(),
    world,
    log,
    secretsSeen,
    knobs: { ...calm, ...options.knobs },
    addConnection(given = {}) {
      const connection: FakeConnection = {
        connectionId: randomUUID(),
        name: 'Orders',
        workspaceId: fake.workspaceId,
        status: 'active',
        createdAt: Math.floor(Date.now() / 1000),
        ...given,
      };
      world.connections.set(connection.connectionId, connection);
      return connection;
    },
    jobsOf: (connectionId) => world.byConnection.get(connectionId) ?? [],
    isRunning: (connectionId) => fake.jobsOf(connectionId).some((job) => isLive(job, world.now())),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return fake;
}

function buildWorld(options: FakeAirbyteOptions, skewMs: () => number): World {
  const clock = options.clock ?? Date.now;
  const { runMs = 50, rows = 1_000 } = options;
  const perConnection = new Map<string, number>();
  let nextId = FIRST_JOB_ID;
  const world: World = {
    connections: new Map(),
    jobs: new Map(),
    byConnection: new Map(),
    clients: new Map(),
    issuedTokens: new Map(),
    tokenLifeMs: options.tokenLifeMs ?? 900_000,
    tokensIssued: 0,
    now: () => clock() + skewMs(),
    newJob(connectionId, jobType) {
      const number = (perConnection.get(connectionId) ?? 0) + 1;
      perConnection.set(connectionId, number);
      const job: FakeJob = {
        jobId: nextId,
        connectionId,
        jobType,
        createdAt: world.now(),
        runMs: typeof runMs === 'number' ? runMs : runMs(connectionId),
        outcome: options.outcome?.({ connectionId, number }) ?? 'succeeded',
        rows,
        stumbles: number % 3 === 0,
      };
      nextId += 1n;
      world.jobs.set(String(job.jobId), job);
      world.byConnection.set(connectionId, [...(world.byConnection.get(connectionId) ?? []), job]);
      return job;
    },
  };
  return world;
}

function answerTo(world: World, request: FakeRequest): FakeAnswer & { job?: FakeJob } {
  const { method, path } = request;
  const jobId = /^\/jobs\/(\d+)$/.exec(path)?.[1];
  const sourceId = /^\/sources\/([^/]+)$/.exec(path)?.[1];
  if (method === 'POST' && path === '/applications/token') return issueToken(world, request.body);
  if (method === 'POST' && path === '/jobs') return createJob(world, request);
  if (method === 'GET' && path === '/jobs') return listJobs(world, request);
  if (method === 'GET' && jobId !== undefined) return getJob(world, jobId);
  if (method === 'DELETE' && jobId !== undefined) return cancelJob(world, jobId);
  if (method === 'GET' && sourceId !== undefined) return getSource(world, sourceId);
  if (method === 'GET' && path === '/connections') return listConnections(world, request);
  return notFound(path);
}

function isKnown(world: World, token: string, given: string | undefined): boolean {
  return given === token || (world.issuedTokens.get(given ?? '') ?? 0) > Date.now();
}

/** Refusals that have no effect. */
function refuse(random: Random, knobs: Knobs, request: FakeRequest, isTrigger: boolean): FakeAnswer | undefined {
  if (random.chance(knobs.unauthorized)) return unauthorized();
  if (random.chance(knobs.forbidden)) return forbidden();
  if (random.chance(knobs.rateLimited)) return shedding(knobs.retryAfter, Date.now() + knobs.clockSkewMs);
  if (isTrigger && random.chance(knobs.busy)) return busy(String(request.body.connectionId));
  return undefined;
}

type Loss = 'hang' | 'reset' | 'html' | 'html200' | 'server';

/** Answers that are lost, whether or not the request had its effect. */
function lose(random: Random, knobs: Knobs): Loss | undefined {
  if (random.chance(knobs.hang)) return 'hang';
  if (random.chance(knobs.reset)) return 'reset';
  if (random.chance(knobs.htmlPage)) return random.chance(0.5) ? 'html' : 'html200';
  return random.chance(knobs.serverError) ? 'server' : undefined;
}

function act(loss: Loss, response: ServerResponse, note: (what: string) => void): void {
  note(loss);
  if (loss === 'reset') response.socket?.resetAndDestroy();
  if (loss === 'html') send(response, htmlPage(502), () => undefined);
  if (loss === 'html200') send(response, htmlPage(200), () => undefined);
  if (loss === 'server') send(response, unexpected(503), () => undefined);
}

function send(response: ServerResponse, answer: FakeAnswer, note: (what: number) => void): void {
  note(answer.status);
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
}

async function read(incoming: IncomingMessage): Promise<FakeRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const url = new URL(incoming.url ?? '/', 'http://fake');
  const isForm = incoming.headers['content-type']?.includes('urlencoded') ?? false;
  const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : parse(text);
  return { method: incoming.method ?? 'GET', path: url.pathname.replace(/^\/v1/, ''), query: url.searchParams, body };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
