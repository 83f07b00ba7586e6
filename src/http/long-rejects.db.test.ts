// A long list of refused rows, paged.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { buildEngine, buildPipeline } from '../../test/support/engine.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Engine } from '../engine/engine.ts';

const db = useDatabase();
let engine: Engine & { close(): Promise<void> };
let user: TestUser;
/** Many rows, so that their ids pass from one digit to two and from two to three. */
const many = 120;
const long = buildPipeline('long', async (context) => {
  for (let index = 0; index < many; index++)
    context.reject({
      line: index + 2,
      byteOffset: 10 * index,
      column: 'day',
      code: 'date_malformed',
      message: 'day is not a date',
      value: 'x',
      cause: 'day:x',
      item: { day: 'x' },
    });
  await context.commit(async () => undefined);
  return { on: 'part', receipt: { read: many, outcomes: { rejected: many } } };
});

beforeAll(async () => {
  engine = await buildEngine(db.appUrl, [long]);
  await engine.start();
  user = await buildUser(db, await buildTenant(db), 'user');
});
afterAll(() => engine.close());
const api = useApi(db, () => ({ engine }));

describe('rejects', () => {
  it('of a long file come in its order, none left out and none twice, however they are paged', async () => {
    const { tenantId } = user;
    const { id } = await engine.enqueue({ pipeline: 'long', tenantId, input: {} });
    await waitFor(async () => (await engine.run(tenantId, id)).finished_at);
    const lines: number[] = [];
    let after: string | null = null;
    do {
      const query: Record<string, string> = { limit: '7', ...(after === null ? {} : { after }) };
      const page: { data: { line: number }[]; next: string | null } = (
        await api.call('rejects.list', { as: user, params: { run_id: id }, query })
      ).json();
      lines.push(...page.data.map(({ line }) => line));
      after = page.next;
    } while (after !== null);
    expect(lines).toEqual(Array.from({ length: many }, (_, index) => index + 2));
  });
});
