// Secrets and personal data sent by every way in, then looked for in everything that leaves: answers, log lines, metrics, audit.
import { beforeAll, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser, useApi } from '../../test/support/api.ts';
import { useDatabase } from '../../test/support/database.ts';
import { createUser } from '../access/operator.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { createLog } from '../platform/log.ts';

const db = useDatabase();
const lines: string[] = [];
const secret = 'Sup3rS3cretC4nary';
const person = 'ada.lovelace.canary@example.test';
const phone = '+49 170 5550123';
const dsn = `postgres://millrace:${secret}@db.internal:5432/prod`;

const api = useApi(db, () => ({
  log: createLog({
    level: 'debug',
    format: 'json',
    logFilenames: false,
    destination: { write: (line: string) => void lines.push(line) },
  }),
  handlers: {
    'samples.list': async () => {
      throw new Error(`connect ${dsn} failed for ${person} ${phone}`);
    },
    'operate.lanes': async () => {
      throw new MillraceError('database_refused', {
        target: 'db.internal',
        reason: `password "${secret}" of ${person}`,
      });
    },
    'operate.schedules': async () => {
      throw Object.assign(new Error('query failed'), {
        detail: `Key (email)=(${person})`,
        query: `select '${secret}'`,
      });
    },
  },
}));
let admin: TestUser;
const said: string[] = [];

beforeAll(async () => {
  const tenantId = await buildTenant(db);
  admin = await buildUser(db, tenantId, 'admin');
  const made = await createUser(db.app, { tenantId, email: 'someone@example.test', role: 'user' });
  const asked = [
    api.call('auth.login', { body: { email: person, password: secret } }),
    api.call('auth.login', { body: { email: 'someone@example.test', password: `${made.oneTimePassword}${secret}` } }),
    api.call('auth.login', { body: { email: person, password: secret, extra: secret } as never }),
    api.call('auth.me', { as: secret }),
    api.call('auth.me', { headers: { cookie: `millrace_session=${secret}`, authorization: `Basic ${secret}` } }),
    api.call('samples.list', { as: admin }),
    api.call('operate.lanes', { as: admin }),
    api.call('operate.schedules', { as: admin }),
    api.call('clients.list', { as: admin, query: { after: secret, [secret]: phone } }),
    api.call('users.show', { as: admin, params: { user_id: person } }),
    api.server.inject({
      method: 'POST',
      url: '/v1/clients',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      payload: `{"name": "${secret}`,
    }),
    api.server.inject(`/v1/nothing?token=${secret}`),
  ];
  for (const answer of await Promise.all(asked)) said.push(answer.body, JSON.stringify(answer.headers));
  const repeated = await api.call('auth.login', { body: { email: person, password: secret } });
  said.push(repeated.body);
  said.push((await api.server.inject('/metrics')).body);
});

const spellings = (text: string) => [
  text,
  encodeURIComponent(text),
  Buffer.from(text).toString('base64').slice(0, -3),
  text.slice(3, -2),
];

it('no answer, header or metric repeats a secret', () => {
  const all = said.join('\n');
  expect(all.length).toBeGreaterThan(1000);
  for (const canary of [secret, dsn].flatMap(spellings)) expect(all).not.toContain(canary);
});

it('no answer names a person, other than the address that was asked for itself', () => {
  const all = said.filter((text) => !text.includes(`/v1/users/${encodeURIComponent(person)}`)).join('\n');
  for (const canary of [person, phone]) expect(all).not.toContain(canary);
});

it('failures are logged with their operation and correlation id, without secret, name or number', () => {
  const all = lines.join('\n');
  expect(all).toContain('"operation":"samples.list"');
  expect(all).toContain('correlation_id');
  for (const canary of [secret, person, phone].flatMap(spellings)) expect(all).not.toContain(canary);
});

it('the audit log keeps neither passwords nor the addresses of strangers', async () => {
  const { rows } = await db.admin.query<{ text: string }>(`select to_jsonb(a)::text as text from audit_log a`);
  const all = rows.map((row) => row.text).join('\n');
  expect(all).toContain('login_refused');
  for (const canary of [secret, person]) expect(all).not.toContain(canary);
});
