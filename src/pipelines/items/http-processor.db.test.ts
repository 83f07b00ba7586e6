// The processor `http` against an endpoint that behaves as the test says.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useItems } from '../../../test/support/items.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { createSecretBox } from '../../platform/secret-box.ts';
import { httpProcessor } from './processors/http.ts';

const box = createSecretBox(Buffer.alloc(32, 7));
const bench = useItems({ processors: [httpProcessor({ box, allowPrivate: true })] });
const seen: { url: string; headers: IncomingMessage['headers']; body: string }[] = [];
let storm = 0;
let broken = 0;
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { url = '' } = request;
  seen.push({ url, headers: request.headers, body });
  const answer = (status: number, value: unknown, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof value === 'string' ? value : JSON.stringify(value));
  if (url.startsWith('/batch')) {
    const { items } = JSON.parse(body) as { items: { sku: string }[] };
    return answer(200, { answers: items.map(({ sku }) => ({ product: { name: `P ${sku}`, price: 2 } })) });
  }
  const sku = decodeURIComponent(url.slice(3));
  if (sku === 'storm' && storm > 0) {
    storm -= 1;
    return answer(429, {}, { 'retry-after': '1' });
  }
  if (sku === 'broken' && broken > 0) {
    broken -= 1;
    return answer(503, {});
  }
  if (sku === 'gone') return answer(404, {});
  if (sku === 'html') return answer(200, '<html>hello</html>');
  if (sku === 'bad') return answer(422, { error: 'no' });
  return answer(200, { product: { name: `P ${sku}`, price: 1.5 } });
});
let origin = '';
beforeAll(async () => {
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const columns = [
  { name: 'name', title: 'Product', path: 'product.name' },
  { name: 'price', type: 'number', path: 'product.price' },
];
const submit = (rows: readonly string[], options: Record<string, unknown>) =>
  bench.submit(['sku', ...rows], { processor: 'http', options: JSON.stringify({ columns, ...options }) });

it('tries the first five rows before there is a job, and stores nothing', async () => {
  const rows = ['sku', 'a', 'gone', 'html', 'bad', 'e', 'never'].join('\n');
  const fields = { processor: 'http', options: JSON.stringify({ columns, url: `${origin}/p/{{sku}}` }) };
  const { status, body } = await bench.upload('/api/jobs/try', rows, 'rows.csv', { fields });
  expect([status, body.rows?.map(({ outcome }: { outcome: string }) => outcome)]).toEqual([
    200,
    ['FOUND', 'NOT_FOUND', 'ERROR', 'ERROR', 'FOUND'],
  ]);
  expect(body.rows[0]).toMatchObject({ input: { sku: 'a' }, result: { name: 'P a', price: 1.5 } });
  expect(body.output_columns).toMatchObject([{ name: 'name' }, { name: 'price' }]);
  expect(seen.map(({ url }) => url)).not.toContain('/p/never');
  const { rows: left } = await bench.db.admin.query('select from item_jobs');
  expect(left).toEqual([]);
  seen.length = 0;
});

it('asks the endpoint for each item, with its secret and a key of its own, and stores the secret sealed', async () => {
  const job = await submit(['a b', 'gone', 'html', 'bad'], {
    url: `${origin}/p/{{sku}}`,
    secret_header: { name: 'Authorization', value: 'Bearer topsecret' },
  });
  const items = await waitFor(async () => {
    const now = await bench.items(job);
    return now.length === 4 && now.every(({ attempts, status }) => attempts > 0 && status !== 'PROCESSING')
      ? now
      : undefined;
  });
  expect(items.map(({ status, error_code: code }) => [status, code])).toEqual([
    ['DONE', null],
    ['PENDING', 'item_not_matched'],
    ['ERROR', 'processor_answer_invalid'],
    ['ERROR', 'endpoint_refused'],
  ]);
  expect(items[0].result).toEqual({ name: 'P a b', price: 1.5 });
  expect((await bench.job(job)).output_columns).toEqual([
    { name: 'name', title: 'Product', type: 'text' },
    { name: 'price', title: 'price', type: 'number' },
  ]);
  expect(seen.every(({ headers }) => headers.authorization === 'Bearer topsecret')).toBe(true);
  expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(4);
  const { rows } = await bench.db.admin.query<{ options: string }>(
    'select options::text from item_jobs where job_id = $1',
    [job],
  );
  expect(rows[0]?.options).toContain('sealed:');
  expect(rows[0]?.options).not.toContain('topsecret');
  await bench.engine.cancel({ tenantId: bench.admin.tenantId, by: 'tester' }, job);
});

it('asks for several at once where the endpoint takes several', async () => {
  seen.length = 0;
  const job = await submit(['x', 'y', 'z'], {
    url: `${origin}/batch`,
    method: 'POST',
    batch: { size: 10, answers_path: 'answers' },
  });
  expect(await bench.ended(job)).toMatchObject({ done_items: 3 });
  expect(seen).toHaveLength(1);
  expect((await bench.items(job)).map(({ result }) => result.name)).toEqual(['P x', 'P y', 'P z']);
});

it.each([
  ['429', 'storm', 'calm'],
  ['503', 'broken', 'whole'],
])('a %s slows it down, with the reason on record, and it recovers', async (status, sku, other) => {
  storm = 2;
  broken = 2;
  const job = await submit([sku, other, 'still'], { url: `${origin}/p/{{sku}}` });
  expect(await bench.ended(job)).toMatchObject({ queue_state: 'DONE', done_items: 3 });
  const decisions = await waitFor(async () => {
    const { rows } = await bench.db.admin.query<{ reason: string; from_size: number; to_size: number }>(
      `select reason, from_size, to_size from engine.decisions
       where run_id = $1 and size_name like 'requests at a time%' and to_size < from_size`,
      [job],
    );
    return rows.length > 0 ? rows : undefined;
  });
  expect(decisions[0]?.reason).toContain(`answered ${status}`);
});

it('an address inside the house is refused before there is a job', async () => {
  const guarded = httpProcessor({ box, allowPrivate: false });
  expect(() =>
    guarded.prepare?.(guarded.options.parse({ url: 'http://169.254.169.254/{{sku}}', columns }), 'job'),
  ).toThrow(/address/);
});
