// Idempotency-Key: the same request does its work once, whatever happens to its answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { setClockOffset, useDatabase } from '../../test/support/database.ts';

const db = useDatabase();
let hold: Promise<void> | undefined;
let entered = 0;
const api = useApi(db, () => ({
  handlers: {
    'samples.run': async () => {
      entered += 1;
      await hold;
      return { upload_id: '0190a7a0-0000-7000-8000-000000000001', status: 'pending' };
    },
  },
}));
let tenantId = '';
let admin: TestUser;
beforeAll(async () => {
  tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
});
afterAll(() => setClockOffset(db.admin, '0'));

const create = (key: string, name: string, as: TestUser = admin) =>
  api.call('clients.create', { as, body: { name }, headers: { 'idempotency-key': key } });
const clients = async () =>
  (await api.call('clients.list', { as: admin })).json().data.map((client: { name: string }) => client.name);

describe('Idempotency-Key', () => {
  it('a repetition gets the first answer again and does nothing more', async () => {
    const first = await create('k1', 'Once');
    const again = await create('k1', 'Once');
    expect(again.statusCode).toBe(201);
    expect(again.body).toBe(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect((await clients()).filter((name: string) => name === 'Once')).toHaveLength(1);
  });

  it('another request under the same key is refused', async () => {
    await create('k2', 'Two');
    expect((await create('k2', 'Not two')).json()).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    const colleague = await buildUser(db, tenantId, 'admin');
    expect((await create('k2', 'Two', colleague)).json().code).toBe('idempotency_key_reused');
  });

  it('the same key means nothing in another tenant or for another operation', async () => {
    const stranger = await buildUser(db, await buildTenant(db, 'Other'), 'admin');
    await create('k3', 'Three');
    const theirs = await create('k3', 'Three', stranger);
    expect([theirs.statusCode, theirs.headers['idempotent-replayed']]).toEqual([201, undefined]);
    const body = { name: 'key', scopes: ['data:read'] };
    const other = await api.call('api-keys.create', { as: admin, body, headers: { 'idempotency-key': 'k3' } });
    expect(other.statusCode).toBe(201);
  });

  it('after a refusal the key is free for the corrected request', async () => {
    expect((await create('k4', '')).statusCode).toBe(400);
    expect((await create('k4', 'Once')).json().code).toBe('client_name_taken');
    expect((await create('k4', 'Four')).statusCode).toBe(201);
  });

  it('of many at the same moment one does the work; the others are asked to come back and then get its answer', async () => {
    let release = () => undefined as unknown;
    hold = new Promise((resolve) => {
      release = () => resolve(undefined);
    });
    const send = () =>
      api.call('samples.run', { as: admin, params: { name: 'x' }, headers: { 'idempotency-key': 'k5' } });
    const all = Array.from({ length: 8 }, send);
    const early = await Promise.race([Promise.all(all.slice(1)), Promise.any(all)]);
    const refusal = Array.isArray(early) ? early[0] : early;
    expect(refusal?.json()).toMatchObject({ status: 409, code: 'idempotency_in_progress' });
    expect(refusal?.headers['retry-after']).toBe('1');
    release();
    const answers = await Promise.all(all);
    const fresh = answers.filter(
      (each) => each.statusCode === 202 && each.headers['idempotent-replayed'] === undefined,
    );
    expect(fresh).toHaveLength(1);
    expect(entered).toBe(1);
    const later = await send();
    expect([later.statusCode, later.headers['idempotent-replayed'], entered]).toEqual([202, 'true', 1]);
  });

  it('a request whose process died can be taken over once its lock has passed', async () => {
    await db.admin.query(
      `insert into idempotency_keys (tenant_id, operation, key, request_hash, locked_until)
       select tenant_id, operation, 'k6', request_hash, engine.now() + interval '60 s' from idempotency_keys where key = 'k1'`,
    );
    expect((await create('k6', 'Once')).json().code).toBe('idempotency_in_progress');
    await setClockOffset(db.admin, '2 minutes');
    expect((await create('k6', 'Once')).json().code).toBe('client_name_taken');
    await setClockOffset(db.admin, '0');
  });

  it('stored answers hold no secret in clear', async () => {
    const body = { name: 'sealed', scopes: ['data:read'] };
    const headers = { 'idempotency-key': 'k7' };
    const first = await api.call('api-keys.create', { as: admin, body, headers });
    const again = await api.call('api-keys.create', { as: admin, body, headers });
    expect(again.json().key).toBe(first.json().key);
    const { rows } = await db.admin.query<{ answer: Buffer }>(`select answer from idempotency_keys where key = 'k7'`);
    expect(rows[0]?.answer.toString('latin1')).not.toContain(first.json().key.slice(0, 20));
  });

  it('a key must be printable and short', async () => {
    for (const key of ['', 'x'.repeat(201), 'a b'])
      expect((await create(key, 'Any')).json().code).toBe('idempotency_key_invalid');
  });
});
