// The client is typed by the route table: what compiles here is part of the contract.
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ApiError, createClient, urlOf } from './client.ts';
import type { Receipt } from './receipt.ts';

function answering(status: number, body: unknown, headers: Record<string, string> = {}) {
  const seen: { url: string; init: RequestInit }[] = [];
  const send = async (url: string | URL | Request, init: RequestInit = {}) => {
    seen.push({ url: String(url), init });
    return new Response(body === undefined ? null : JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', ...headers },
    });
  };
  return { seen, send: send as typeof fetch };
}

describe('the typed client', () => {
  it('puts params into the path, query after it, and the token into the header', async () => {
    const { seen, send } = answering(200, { data: [], next: null });
    const call = createClient({ baseUrl: 'http://mill.test/', token: () => 't0k', fetch: send });
    const page = await call('runs.events', {
      params: { run_id: '0190a7a0-0000-7000-8000-000000000001' },
      query: { limit: 5, type: 'run.done' },
    });
    expectTypeOf<(typeof page)['data'][number]['position']>().toEqualTypeOf<string>();
    expect(seen[0]?.url).toBe(
      'http://mill.test/v1/runs/0190a7a0-0000-7000-8000-000000000001/events?limit=5&type=run.done',
    );
    expect(new Headers(seen[0]?.init.headers).get('authorization')).toBe('Bearer t0k');
  });

  it('takes no arguments where a route needs none, and demands them where it does', () => {
    const call = createClient({ fetch: answering(200, {}).send });
    expectTypeOf(call<'runs.list'>).toBeCallableWith('runs.list');
    expectTypeOf(call<'auth.login'>).toBeCallableWith('auth.login', { body: { email: 'a@b.c', password: 'x' } });
    // @ts-expect-error a run must be named
    void (() => call('runs.show'));
    // @ts-expect-error a number is no email
    void (() => call('auth.login', { body: { email: 1, password: 'x' } }));
    expectTypeOf<Awaited<ReturnType<typeof call<'runs.show'>>>['receipt']>().toEqualTypeOf<Receipt | null>();
  });

  it('throws the server’s problem object, with the pause it asked for', async () => {
    const problem = { code: 'login_limited', detail: 'Too many.', status: 429, title: 'Too many' };
    const call = createClient({ fetch: answering(429, problem, { 'retry-after': '30' }).send });
    const failure = await call('auth.me').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ problem: { code: 'login_limited' }, retryAfterS: 30 });
  });

  it('hands files over as they are and says nothing after 204', async () => {
    const file = createClient({ fetch: answering(200, [1], { 'content-disposition': 'attachment' }).send });
    expect(
      await file('rejects.download', { params: { run_id: '0190a7a0-0000-7000-8000-000000000001' } }),
    ).toBeInstanceOf(Response);
    const gone = createClient({ fetch: answering(204, undefined).send });
    expect(await gone('auth.logout')).toBeUndefined();
  });

  it('escapes what goes into a path', () => {
    expect(urlOf('samples.run', { params: { name: '../x y' } })).toBe('/v1/samples/..%2Fx%20y/run');
  });
});
