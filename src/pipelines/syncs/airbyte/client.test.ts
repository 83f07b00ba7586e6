// The client against a fake Airbyte that misbehaves in every way the facts know.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { calm, type Knobs } from '../../../../test/support/fake-airbyte/knobs.ts';
import { type FakeAirbyte, startFakeAirbyte } from '../../../../test/support/fake-airbyte/server.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { createAirbyteClient } from './client.ts';
import { type Credential, createTokenSource } from './tokens.ts';

let airbyte: FakeAirbyte;
let connection: string;
beforeEach(async () => {
  airbyte = await startFakeAirbyte({ runMs: 60_000 });
  connection = airbyte.addConnection().connectionId;
});
afterEach(() => airbyte.close());

function client(credential: Credential = { kind: 'token', token: airbyte.token }) {
  // Short only where the answer is not to come in time: on a busy machine any other may take a while.
  const timeoutMs = airbyte.knobs.hang || airbyte.knobs.slow ? 150 : 10_000;
  const reach = { baseUrl: airbyte.url, timeoutMs };
  return createAirbyteClient({ ...reach, tokens: createTokenSource(credential, reach) });
}

async function failure(work: Promise<unknown>): Promise<MillraceError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MillraceError);
  return error as MillraceError;
}

describe('a call', () => {
  it.each<[string, Partial<Knobs>, string, string]>([
    ['401', { unauthorized: 1 }, 'airbyte_unauthorized', 'auth'],
    ['403', { forbidden: 1 }, 'airbyte_forbidden', 'auth'],
    ['409 on create', { busy: 1 }, 'airbyte_busy', 'conflict'],
    ['429', { rateLimited: 1 }, 'airbyte_rate_limited', 'rate_limited'],
    ['5xx', { serverError: 1 }, 'airbyte_unavailable', 'transient'],
    ['no answer', { hang: 1 }, 'airbyte_timeout', 'transient'],
    ['an answer that is too slow', { slow: 1, slowMs: 2_000 }, 'airbyte_timeout', 'transient'],
    ['a cut connection', { reset: 1 }, 'airbyte_unreachable', 'transient'],
  ])('that meets %s fails as what it is', async (_, knobs, code, kind) => {
    airbyte.knobs = { ...calm, ...knobs };
    expect(await failure(client().createSync(connection))).toMatchObject({ code, kind });
  });

  it('that is answered with a page of HTML, whatever its status, is tried again later', async () => {
    airbyte.knobs = { ...calm, htmlPage: 1 };
    for (let tries = 0; tries < 6; tries += 1)
      expect((await failure(client().createSync(connection))).kind).toBe('transient');
  });

  it('carries the wait of a 429 only when there is one, in seconds or as a date by Airbyte’s own clock', async () => {
    airbyte.knobs = { ...calm, rateLimited: 1 };
    expect((await failure(client().getJob('1'))).retryAfterMs).toBeUndefined();
    airbyte.knobs = { ...calm, rateLimited: 1, retryAfter: 90 };
    expect((await failure(client().getJob('1'))).retryAfterMs).toBe(90_000);
    airbyte.knobs = { ...calm, rateLimited: 1, retryAfter: 'date' };
    const waitMs = (await failure(client().getJob('1'))).retryAfterMs ?? 0;
    expect(waitMs).toBeGreaterThan(55_000);
    expect(waitMs).toBeLessThan(62_000);
  });

  it('never names the token in its error', async () => {
    for (const knobs of [{ unauthorized: 1 }, { serverError: 1 }, { reset: 1 }, { htmlPage: 1 }]) {
      airbyte.knobs = { ...calm, ...knobs };
      const error = await failure(client().getJob('1'));
      expect(`${error.message} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(airbyte.token);
    }
  });

  it('creates, shows, lists and cancels jobs whose ids exceed 2^53', async () => {
    const api = client();
    const job = await api.createSync(connection);
    expect(job.jobId).toBe('9007199254740993');
    expect((await api.getJob(job.jobId)).status).toMatch(/pending|running/);
    expect((await failure(api.createSync(connection))).code).toBe('airbyte_busy');
    const listed = await api.listSyncs(connection, { createdAtStart: new Date(Date.now() - 60_000) });
    expect(listed.map(({ jobId }) => jobId)).toEqual([job.jobId]);
    expect(await api.listSyncs(connection, { createdAtStart: new Date(Date.now() + 60_000) })).toEqual([]);
    await api.cancelJob(job.jobId);
    await api.cancelJob(job.jobId);
    expect((await api.getJob(job.jobId)).status).toBe('cancelled');
    expect((await failure(api.getJob('42'))).code).toBe('airbyte_not_found');
  });

  it('lists all connections of a workspace, page by page, without the deleted ones', async () => {
    for (let index = 0; index < 150; index += 1) airbyte.addConnection();
    airbyte.addConnection({ status: 'deprecated' });
    expect(await client().listConnections(airbyte.workspaceId)).toHaveLength(151);
  });
});

describe('client credentials', () => {
  const credential = { kind: 'client', clientId: 'c', clientSecret: 's' } as const;

  it('fetch one token for any number of calls at once, and renew it when it is refused', async () => {
    airbyte.world.clients.set('c', 's');
    const api = client(credential);
    await Promise.all(Array.from({ length: 20 }, () => api.listSyncs(connection)));
    expect(airbyte.world.tokensIssued).toBe(1);
    airbyte.world.issuedTokens.clear();
    await Promise.all(Array.from({ length: 5 }, () => api.listSyncs(connection)));
    expect(airbyte.world.tokensIssued).toBe(2);
  });

  it('that are wrong fail as auth', async () => {
    expect((await failure(client(credential).listSyncs(connection))).kind).toBe('auth');
  });
});
