import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../../test/support/database.ts';
import { createTenant, createUser } from './operator.ts';
import { resetPasswordOf, setDisabled, setRole } from './operator-users.ts';

const database = useDatabase();
let tenantId = '';

beforeAll(async () => {
  tenantId = (await createTenant(database.app, { name: 'Acme' })).tenant_id;
  await createUser(database.app, { tenantId, email: 'ada@acme.example', role: 'admin' });
  await createUser(database.app, { tenantId, email: 'bob@acme.example', role: 'user' });
});

const stateOf = async (email: string) =>
  (
    await database.admin.query(
      'select role, token_version, disabled_at is not null as off from users where email = $1',
      [email],
    )
  ).rows[0];

describe('the operator', () => {
  it.each([
    ['nothing', ''],
    ['only blanks', '   '],
    ['too long a name', 'x'.repeat(201)],
    ['a name that would colour the terminal', 'Acme\u001b[31m'],
  ])('cannot call a tenant %s', async (_, name) => {
    await expect(createTenant(database.app, { name })).rejects.toMatchObject({ code: 'tenant_name_invalid' });
  });

  it.each([
    ['without an @', 'ada'],
    ['with a control character', 'a\u0001da@acme.example'],
    ['longer than an address may be', `${'x'.repeat(320)}@acme.example`],
  ])('cannot make a user of an address %s', async (_, email) => {
    await expect(createUser(database.app, { tenantId, email, role: 'user' })).rejects.toMatchObject({
      code: 'email_invalid',
    });
  });

  it('changes a role by address, in any case of letters, and ends the sessions it had', async () => {
    const before = await stateOf('bob@acme.example');
    expect(await setRole(database.app, ' Bob@Acme.example ', 'support')).toMatchObject({ role: 'support' });
    expect((await stateOf('bob@acme.example')).token_version).toBe(before.token_version + 1);
  });

  it('disables and enables', async () => {
    await setDisabled(database.app, 'bob@acme.example', true);
    expect(await stateOf('bob@acme.example')).toMatchObject({ off: true });
    await setDisabled(database.app, 'bob@acme.example', false);
    expect(await stateOf('bob@acme.example')).toMatchObject({ off: false });
  });

  it('cannot take the last admin away', async () => {
    await expect(setDisabled(database.app, 'ada@acme.example', true)).rejects.toMatchObject({ code: 'last_admin' });
    await expect(setRole(database.app, 'ada@acme.example', 'user')).rejects.toMatchObject({ code: 'last_admin' });
  });

  it('gives a new one-time password that must be changed', async () => {
    const reset = await resetPasswordOf(database.app, 'ada@acme.example');
    expect(reset).toMatchObject({
      user: { must_change_password: true },
      oneTimePassword: expect.stringMatching(/^[a-z0-9-]{24}$/),
    });
  });

  it('names what it does not know', async () => {
    await expect(resetPasswordOf(database.app, 'nobody@acme.example')).rejects.toMatchObject({ code: 'user_unclear' });
    expect(() => setRole(database.app, 'ada@acme.example', 'king')).toThrow('king');
  });

  it('leaves a trace of every act in the audit log of the user’s tenant', async () => {
    const { rows } = await database.admin.query(
      `select action from audit_log where tenant_id = $1 and actor = 'operator' order by audit_id`,
      [tenantId],
    );
    expect(rows.map(({ action }) => action)).toEqual(
      expect.arrayContaining([
        'tenants.create',
        'users.create',
        'users.role',
        'users.disable',
        'users.enable',
        'users.reset',
      ]),
    );
  });
});
