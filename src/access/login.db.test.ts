// Signing in, its limits, and what stops being valid when a person or key is changed.
import { beforeAll, describe, expect, it } from 'vitest';
import { setClockOffset, useDatabase } from '../../test/support/database.ts';
import { dose } from '../../test/support/dose.ts';
import { uuidv7 } from '../platform/ids.ts';
import { makeApiKey } from './api-key-text.ts';
import { createAuthenticator } from './authenticate.ts';
import { login } from './login.ts';
import { defaultLoginLimits } from './login-limits.ts';
import { endMembership, grantMembership } from './memberships.ts';
import { createTenant, createUser, ensureFirstTenant, listTenants, resetPassword, setPlan } from './operator.ts';
import { deriveSecrets } from './secrets.ts';
import { insertApiKey, revokeApiKey } from './sql/list-api-keys.ts';
import { endSessions } from './sql/update-user.ts';
import { inTenant } from './tenant-session.ts';
import { changeUser, removeUser } from './users.ts';

const GUESSES = dose(2_000, 10_000);
const db = useDatabase();
const secrets = deriveSecrets(Buffer.alloc(32, 1));
const origin = { ip: '192.0.2.7', correlationId: 'test' };
const options = () => ({ pool: db.app, secrets, limits: defaultLoginLimits, expiryHours: 24 });

let tenantId = '';
let admin = { userId: '', email: 'ada@example.test', password: '' };

beforeAll(async () => {
  tenantId = (await createTenant(db.app, { name: 'North' })).tenant_id;
  const made = await createUser(db.app, { tenantId, email: admin.email, role: 'admin' });
  admin = { ...admin, userId: made.user.user_id, password: made.oneTimePassword };
});

async function newUser(role: string, inTenantId = tenantId) {
  const email = `${uuidv7()}@example.test`;
  const made = await createUser(db.app, { tenantId: inTenantId, email, role });
  const session = await login(options(), { email, password: made.oneTimePassword }, { ...origin, ip: '192.0.2.99' });
  return { userId: made.user.user_id, email, password: made.oneTimePassword, token: session.token };
}

describe('signing in', () => {
  it('the right password gives a token of the user’s tenant and role', async () => {
    const session = await login(options(), { email: ' ADA@example.test ', password: admin.password }, origin);
    const principal = await createAuthenticator({ pool: db.app, tokenSecret: secrets.token }).authenticate(
      session.token,
    );
    expect(principal).toMatchObject({ tenantId, role: 'admin', actorId: admin.userId, mustChangePassword: true });
  });

  it('a one-time password lets in once, also where two use it at the same moment', async () => {
    const email = `${uuidv7()}@example.test`;
    const { oneTimePassword: password } = await createUser(db.app, { tenantId, email, role: 'user' });
    const enter = (ip: string) =>
      login(options(), { email, password }, { ...origin, ip }).then(
        () => 'in',
        ({ code }) => code,
      );
    const both = await Promise.all([enter('192.0.2.31'), enter('192.0.2.32')]);
    expect(both.sort()).toEqual(['in', 'one_time_password_used']);
    expect(await enter('192.0.2.33')).toBe('one_time_password_used');
  });

  it('an unknown account and a wrong password answer alike, and both are written down', async () => {
    const refusals = await Promise.all(
      [admin.email, 'nobody@example.test'].map((email) =>
        login(options(), { email, password: 'wrong-wrong-wrong' }, { ...origin, ip: '192.0.2.8' }).catch((e) => e),
      ),
    );
    expect(refusals[0]).toMatchObject({ code: 'login_refused', status: 401 });
    expect(refusals[0].message).toBe(refusals[1].message);
    const { rows } = await db.admin.query(
      `select tenant_id, outcome from audit_log where action = 'auth.login' and host(ip) = '192.0.2.8' order by tenant_id`,
    );
    expect(rows).toEqual([
      { tenant_id: tenantId, outcome: 'denied' },
      { tenant_id: null, outcome: 'denied' },
    ]);
  });

  it('a disabled user cannot sign in', async () => {
    const user = await newUser('user');
    await inTenant(db.app, tenantId, (tx) => changeUser(tx, tenantId, user.userId, { disabled: true }));
    await expect(login(options(), user, origin)).rejects.toMatchObject({ code: 'login_refused' });
  });
});

describe('limits on sign-in attempts', () => {
  const tight = { windowSeconds: 900, perAccountAndAddress: 3, perAccount: 6, perAddress: 8 };
  const attempt = (email: string, ip: string, limits = tight) =>
    login({ ...options(), limits }, { email, password: 'wrong-wrong-wrong' }, { ...origin, ip }).then(
      () => 'in',
      (error) => error.code,
    );

  it('40 simultaneous guesses over one account and address reach the password check 3 times', async () => {
    const codes = await Promise.all(Array.from({ length: 40 }, () => attempt('flood@example.test', '198.51.100.1')));
    expect(codes.filter((code) => code === 'login_refused')).toHaveLength(3);
    expect(codes.filter((code) => code === 'login_limited')).toHaveLength(37);
  });

  it('many addresses on one account, and one address on many accounts, are limited too', async () => {
    const spread = [];
    for (let n = 0; n < 8; n++) spread.push(await attempt('spread@example.test', `203.0.113.${n}`));
    expect(spread.filter((code) => code === 'login_limited')).toHaveLength(2);
    const sweep = [];
    for (let n = 0; n < 10; n++) sweep.push(await attempt(`sweep${n}@example.test`, '198.51.100.2'));
    expect(sweep.filter((code) => code === 'login_limited')).toHaveLength(2);
  });

  it(`${GUESSES} guesses from one address over 200 accounts reach the password check 8 times, and each is written down`, async () => {
    const codes = new Map<string, number>();
    for (let from = 0; from < GUESSES; from += 100) {
      const batch = Array.from({ length: 100 }, (_, n) =>
        attempt(`mass${(from + n) % 200}@example.test`, '198.51.100.9'),
      );
      for (const code of await Promise.all(batch)) codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(Object.fromEntries(codes)).toEqual({ login_refused: 8, login_limited: GUESSES - 8 });
    const { rows } = await db.admin.query(
      `select count(*)::int as count from audit_log where action = 'auth.login' and outcome = 'denied' and host(ip) = '198.51.100.9'`,
    );
    expect(rows).toEqual([{ count: GUESSES }]);
  });

  it('says how long to wait, and lets go when the window has passed', async () => {
    const limits = { ...tight, perAccountAndAddress: 1 };
    await attempt('wait@example.test', '198.51.100.3', limits);
    const refused = await login(
      { ...options(), limits },
      { email: 'wait@example.test', password: 'x' },
      { ...origin, ip: '198.51.100.3' },
    ).catch((error) => error);
    expect(refused).toMatchObject({ code: 'login_limited', status: 429 });
    expect(refused.retryAfterMs).toBeGreaterThan(880_000);
    await setClockOffset(db.admin, '16 minutes');
    expect(await attempt('wait@example.test', '198.51.100.3', limits)).toBe('login_refused');
    await setClockOffset(db.admin, '0');
  });

  it('keeps no address and no account in clear', async () => {
    const { rows } = await db.admin.query<{ text: string }>(
      `select encode(subject, 'escape') as text from login_attempts`,
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.map((row) => row.text).join()).not.toMatch(/example|198\.51/);
  });
});

describe('what ends access', () => {
  // The clock of the cache is moved, not waited for: 60 s is the promise, the default trusts an answer for 15 s.
  async function survives(token: string, change: () => Promise<unknown>) {
    let nowMs = 0;
    const authenticator = createAuthenticator({ pool: db.app, tokenSecret: secrets.token, nowMs: () => nowMs });
    await authenticator.authenticate(token);
    await change();
    nowMs = 60_000;
    return authenticator.authenticate(token).then(
      () => true,
      (error) => error.code !== 'unauthenticated',
    );
  }
  const change = (userId: string, what: Parameters<typeof changeUser>[3]) => () =>
    inTenant(db.app, tenantId, (tx) => changeUser(tx, tenantId, userId, what));

  it('a removed, disabled, lowered or signed-out user is out within 60 s; a renamed one stays in', async () => {
    const [removed, disabled, lowered, out, renamed] = await Promise.all(
      ['user', 'user', 'admin', 'user', 'user'].map((role) => newUser(role)),
    );
    expect(
      await survives(removed!.token, () =>
        inTenant(db.app, tenantId, (tx) => removeUser(tx, tenantId, removed!.userId)),
      ),
    ).toBe(false);
    expect(await survives(disabled!.token, change(disabled!.userId, { disabled: true }))).toBe(false);
    expect(await survives(lowered!.token, change(lowered!.userId, { role: 'user' }))).toBe(false);
    expect(
      await survives(out!.token, () => inTenant(db.app, tenantId, (tx) => endSessions(tx, tenantId, out!.userId))),
    ).toBe(false);
    expect(await survives(renamed!.token, change(renamed!.userId, { name: 'Other' }))).toBe(true);
  });

  it('a reset password ends the sessions made with the old one', async () => {
    const user = await newUser('user');
    expect(await survives(user.token, () => resetPassword(db.app, tenantId, user.userId))).toBe(false);
    await expect(login(options(), user, origin)).rejects.toMatchObject({ code: 'login_refused' });
  });

  it('an API key works within its scopes until it is revoked or expires', async () => {
    const keyId = uuidv7();
    const { text, secretHash } = makeApiKey(tenantId, keyId);
    await inTenant(db.app, tenantId, (tx) =>
      insertApiKey(tx, {
        keyId,
        tenantId,
        name: 'ci',
        secretHash,
        scopes: ['runs:read'],
        createdBy: admin.userId,
        expiresAt: null,
      }),
    );
    const principal = await createAuthenticator({ pool: db.app, tokenSecret: secrets.token }).authenticate(text);
    expect(principal).toMatchObject({ tenantId, role: 'service', scopes: ['runs:read'] });
    expect(await survives(text, () => inTenant(db.app, tenantId, (tx) => revokeApiKey(tx, tenantId, keyId)))).toBe(
      false,
    );
  });

  it('an API key with another tenant’s id in its text is nobody’s key', async () => {
    const other = (await createTenant(db.app, { name: 'Other' })).tenant_id;
    const keyId = uuidv7();
    const { secretHash } = makeApiKey(tenantId, keyId);
    await inTenant(db.app, tenantId, (tx) =>
      insertApiKey(tx, { keyId, tenantId, name: 'x', secretHash, scopes: [], createdBy: null, expiresAt: null }),
    );
    await expect(
      createAuthenticator({ pool: db.app, tokenSecret: secrets.token }).authenticate(makeApiKey(other, keyId).text),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('a real key rewritten to name another tenant opens nothing, also right after the key itself was used', async () => {
    const other = (await createTenant(db.app, { name: 'Other' })).tenant_id;
    const keyId = uuidv7();
    const { text, secretHash } = makeApiKey(tenantId, keyId);
    await inTenant(db.app, tenantId, (tx) =>
      insertApiKey(tx, { keyId, tenantId, name: 'x', secretHash, scopes: [], createdBy: null, expiresAt: null }),
    );
    const authenticator = createAuthenticator({ pool: db.app, tokenSecret: secrets.token });
    expect((await authenticator.authenticate(text)).tenantId).toBe(tenantId);
    const ids = makeApiKey(other, keyId).text.split('.')[0];
    const rewritten = `${ids}.${text.split('.')[1]}`;
    await expect(authenticator.authenticate(rewritten)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('support and memberships', () => {
  it('support reaches another tenant only while a membership lives; others never do', async () => {
    const elsewhere = (await createTenant(db.app, { name: 'Elsewhere' })).tenant_id;
    const helper = await newUser('support');
    const clerk = await newUser('admin');
    const reach = (token: string, target: string) =>
      createAuthenticator({ pool: db.app, tokenSecret: secrets.token })
        .authenticate(token, target)
        .then(
          (principal) => principal.tenantId,
          (error) => `${error.code} ${error.message}`,
        );
    const refusal = await reach(helper.token, elsewhere);
    expect(refusal).toMatch(/^tenant_unreachable/);
    expect(await reach(helper.token, uuidv7())).toBe(refusal);
    const grant = (email: string) =>
      inTenant(db.app, elsewhere, (tx) =>
        grantMembership(tx, elsewhere, { email, reason: 'ticket 7', hours: 2, grantedBy: null }),
      );
    await grant(helper.email);
    expect(await reach(helper.token, elsewhere)).toBe(elsewhere);
    await expect(grant(clerk.email)).rejects.toMatchObject({ code: 'support_unknown' });
    expect(await reach(clerk.token, elsewhere)).toBe(refusal);
    await setClockOffset(db.admin, '3 hours');
    expect(await reach(helper.token, elsewhere)).toBe(refusal);
    await setClockOffset(db.admin, '0');
  });

  it('a membership that another process revokes is over within 60 s, also where it was just used', async () => {
    const elsewhere = (await createTenant(db.app, { name: 'Revoked' })).tenant_id;
    const helper = await newUser('support');
    const { membership_id: membershipId } = await inTenant(db.app, elsewhere, (tx) =>
      grantMembership(tx, elsewhere, { email: helper.email, reason: 'ticket 8', hours: 2, grantedBy: null }),
    );
    let nowMs = 0;
    const here = createAuthenticator({ pool: db.app, tokenSecret: secrets.token, nowMs: () => nowMs });
    expect((await here.authenticate(helper.token, elsewhere)).tenantId).toBe(elsewhere);
    await inTenant(db.app, elsewhere, (tx) => endMembership(tx, elsewhere, membershipId));
    nowMs = 60_000;
    await expect(here.authenticate(helper.token, elsewhere)).rejects.toMatchObject({ code: 'tenant_unreachable' });
  });
});

describe('the operator', () => {
  it('the first start makes one tenant with one admin, however many processes start; later starts make nothing', async () => {
    await db.admin.query('truncate tenants cascade');
    const made = await Promise.all(Array.from({ length: 4 }, () => ensureFirstTenant(db.app)));
    const winners = made.filter((each) => each !== undefined);
    expect(winners).toHaveLength(1);
    expect(await listTenants(db.app)).toHaveLength(1);
    const { user, oneTimePassword } = winners[0]!;
    const session = await login(options(), { email: user.email, password: oneTimePassword }, origin);
    expect(session.principal).toMatchObject({ role: 'admin', mustChangePassword: false });
    expect(await ensureFirstTenant(db.app)).toBeUndefined();
  });

  it('sets plans; the application’s own role cannot', async () => {
    const tenant = await createTenant(db.app, { name: 'Plan' });
    expect((await setPlan(db.app, tenant.tenant_id, 'growth')).plan).toBe('growth');
    await expect(setPlan(db.app, tenant.tenant_id, 'gold')).rejects.toThrow('plan');
    await expect(
      inTenant(db.app, tenant.tenant_id, (tx) => tx.query(`update tenants set plan = 'enterprise'`)),
    ).rejects.toThrow('permission denied');
  });

  it('the last admin cannot be removed, lowered or disabled, not even by two at once', async () => {
    const tenant = (await createTenant(db.app, { name: 'Two' })).tenant_id;
    const two = await Promise.all(
      ['a', 'b'].map((n) => createUser(db.app, { tenantId: tenant, email: `${n}@two.test`, role: 'admin' })),
    );
    const outcomes = await Promise.allSettled(
      two.map(({ user }) => inTenant(db.app, tenant, (tx) => changeUser(tx, tenant, user.user_id, { role: 'user' }))),
    );
    expect(outcomes.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find((each) => each.status === 'rejected')).toMatchObject({ reason: { code: 'last_admin' } });
  });
});
