// What a fake Airbyte does with each request, when it is not misbehaving: every endpoint, filter and refusal the product relies on.
import { randomUUID } from 'node:crypto';
import { busy, type FakeAnswer, forbidden, notFound, ok, problem, stateConflict, unprocessable } from './answers.ts';
import { type FakeConnection, type FakeJob, isLive, jobJson, stateOf } from './jobs.ts';

export interface World {
  readonly connections: Map<string, FakeConnection>;
  readonly jobs: Map<string, FakeJob>;
  /** The same jobs by connection, oldest first: a simulated week has tens of thousands. */
  readonly byConnection: Map<string, FakeJob[]>;
  readonly clients: Map<string, string>;
  readonly issuedTokens: Map<string, number>;
  readonly tokenLifeMs: number;
  tokensIssued: number;
  now(): number;
  newJob(connectionId: string, jobType: string): FakeJob;
}

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function issueToken(world: World, body: Record<string, unknown>): FakeAnswer {
  if (body.grant_type !== 'client_credentials' && body['grant-type'] !== 'client_credentials')
    return problem(400, 'bad-request', 'bad-request', { detail: 'grant_type is required' });
  if (world.clients.get(String(body.client_id)) !== body.client_secret) return forbidden();
  const token = `issued-${randomUUID()}`;
  world.tokensIssued += 1;
  world.issuedTokens.set(token, Date.now() + world.tokenLifeMs);
  return ok(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: world.tokenLifeMs / 1000 }));
}

export function createJob(world: World, { body }: FakeRequest): FakeAnswer & { job?: FakeJob } {
  const connectionId = String(body.connectionId);
  if (!uuid.test(connectionId)) return unprocessable('connectionId must be a uuid');
  if (body.jobType === 'refresh') return unprocessable('refresh is not supported');
  if (!['sync', 'reset', 'clear'].includes(String(body.jobType))) return unprocessable('jobType is not valid');
  const connection = world.connections.get(connectionId);
  if (connection === undefined || connection.status === 'deprecated') return notFound(connectionId);
  if (connection.status !== 'active') return stateConflict();
  const running = (world.byConnection.get(connectionId) ?? []).some((job) => isLive(job, world.now()));
  if (running) return busy(connectionId);
  const job = world.newJob(connectionId, String(body.jobType));
  return { ...ok(jobJson(job, world.now())), job };
}

export function getJob(world: World, jobId: string): FakeAnswer {
  const job = world.jobs.get(jobId);
  return job ? ok(jobJson(job, world.now())) : notFound(jobId);
}

export function cancelJob(world: World, jobId: string): FakeAnswer {
  const job = world.jobs.get(jobId);
  if (job === undefined || !isLive(job, world.now())) return stateConflict();
  job.cancelledAt = world.now();
  return ok(jobJson(job, world.now()));
}

export function listJobs(world: World, { query }: FakeRequest): FakeAnswer {
  const limit = Number(query.get('limit') ?? 20);
  if (limit < 1 || limit > 100) return unprocessable('limit must be between 1 and 100');
  const time = (name: string) => (query.has(name) ? Date.parse(query.get(name) ?? '') : undefined);
  const [from, to] = [time('createdAtStart'), time('createdAtEnd')];
  const workspaces = query.get('workspaceIds')?.split(',');
  const connectionId = query.get('connectionId');
  const among = connectionId === null ? [...world.jobs.values()] : (world.byConnection.get(connectionId) ?? []);
  const found = among
    .filter((job) => !query.has('jobType') || job.jobType === query.get('jobType'))
    .filter((job) => !query.has('status') || stateOf(job, world.now()) === query.get('status'))
    .filter((job) => from === undefined || job.createdAt >= from)
    .filter((job) => to === undefined || job.createdAt <= to)
    .filter((job) => !workspaces || workspaces.includes(world.connections.get(job.connectionId)?.workspaceId ?? ''))
    .sort((a, b) => b.createdAt - a.createdAt || (b.jobId > a.jobId ? 1 : -1));
  if (query.get('orderBy')?.endsWith('|ASC')) found.reverse();
  return ok(
    page(
      found.map((job) => jobJson(job, world.now())),
      query,
      limit,
      '/jobs',
    ),
  );
}

export function listConnections(world: World, { query }: FakeRequest): FakeAnswer {
  const limit = Number(query.get('limit') ?? 20);
  const workspaces = query.get('workspaceIds')?.split(',');
  const found = [...world.connections.values()]
    .filter((each) => !workspaces || workspaces.includes(each.workspaceId))
    .filter((each) => each.status !== 'deprecated' || query.get('includeDeleted') === 'true')
    .map(({ sourceType: _, ...each }) =>
      JSON.stringify({
        sourceId: randomUUID(),
        ...each,
        destinationId: randomUUID(),
        schedule: { scheduleType: 'manual' },
        configurations: { streams: [] },
        tags: each.tags ?? [],
      }),
    );
  return ok(page(found, query, limit, '/connections'));
}

export function getSource(world: World, sourceId: string): FakeAnswer {
  const found = [...world.connections.values()].find((each) => each.sourceId === sourceId);
  if (found?.sourceType === undefined) return notFound(sourceId);
  const { workspaceId, sourceType } = found;
  const configuration = { api_secret: 'SECRET-OF-THE-SOURCE' };
  return ok(
    JSON.stringify({
      sourceId,
      name: 'Shop',
      sourceType,
      definitionId: randomUUID(),
      workspaceId,
      configuration,
      createdAt: 1,
    }),
  );
}

function page(items: readonly string[], query: URLSearchParams, limit: number, path: string): string {
  const offset = Number(query.get('offset') ?? 0);
  const more = items.length > offset + limit;
  const link = (at: number) => JSON.stringify(`https://api.airbyte.com/v1${path}?limit=${limit}&offset=${at}`);
  const next = more ? `,"next":${link(offset + limit)}` : '';
  const previous = offset > 0 ? `,"previous":${link(Math.max(0, offset - limit))}` : '';
  return `{"data":[${items.slice(offset, offset + limit).join(',')}]${previous}${next}}`;
}
