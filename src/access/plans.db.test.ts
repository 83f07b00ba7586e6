// Statements of access and of requests: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import { byOperator as operator, type PlanCase, byRequest as request } from '../../test/plans/plan-case.ts';
import { testPlans } from '../../test/plans/plans.ts';
import type { World } from '../../test/plans/world.ts';
import {
  findStoredAnswer,
  forgetAnswers,
  releaseKey,
  renewKey,
  reserveKey,
  storeAnswer,
} from '../http/sql/reserve-idempotency-key.ts';
import { uuidv7 } from '../platform/ids.ts';
import { insertMappingVersion } from '../tabular/mapping/sql/insert-mapping-version.ts';
import { listMappings } from '../tabular/mapping/sql/list-mappings.ts';
import { selectMapping } from '../tabular/mapping/sql/select-mapping.ts';
import { countLoginAttempts, forgetLoginAttempts, pruneLoginAttempts } from './sql/count-login-attempts.ts';
import { findApiKey, noteApiKeyUse } from './sql/find-api-key.ts';
import { findLiveMembership } from './sql/find-live-membership.ts';
import { findLogin } from './sql/find-login.ts';
import { findSessionUser } from './sql/find-session-user.ts';
import { findUserByEmail } from './sql/find-user-by-email.ts';
import { insertAuditEntry } from './sql/insert-audit-entry.ts';
import { deleteUser, insertUser } from './sql/insert-user.ts';
import { insertApiKey, listApiKeys, revokeApiKey } from './sql/list-api-keys.ts';
import { listAuditEntries } from './sql/list-audit-entries.ts';
import { findClient, listClients } from './sql/list-clients.ts';
import { insertMembership, listMemberships, revokeMembership } from './sql/list-memberships.ts';
import { findTenant, listTenants } from './sql/list-tenants.ts';
import { findUser, listUsers } from './sql/list-users.ts';
import { lockAdmins } from './sql/lock-admins.ts';
import { pruneIdempotencyKeys } from './sql/prune-idempotency-keys.ts';
import { endSessions, noteLogin, setPassword, takeOneTimePassword, updateUser } from './sql/update-user.ts';
import { deleteClient, insertClient, renameClient } from './sql/write-client.ts';
import { insertTenant, insertTrialTenant, listTrialTenants, updateTenantPlan } from './sql/write-tenant.ts';

const user = (w: World) => w.id('user_id', 41);
const subject = Buffer.from('somebody');
const key = (w: World) => ({ tenantId: w.ours, operation: 'upload', key: 'key 41' });
const filter = (w: World) => ({
  tenantId: w.ours,
  before: null,
  actions: null,
  actorId: null,
  since: null,
  until: null,
  limit: 20,
});

const people: PlanCase[] = [
  request((db) => countLoginAttempts(db, [subject], 60)),
  request((db) => forgetLoginAttempts(db, [subject])),
  operator((db) => pruneLoginAttempts(db, 60, 50)),
  request((db, w) => findApiKey(db, w.ours, w.id('key_id', 41))),
  request((db, w) => noteApiKeyUse(db, w.ours, w.id('key_id', 41))),
  request((db, w) => findLiveMembership(db, w.ours, user(w))),
  request((db) => findLogin(db, 'user41@example.com')),
  request((db, w) => findSessionUser(db, w.ours, user(w))),
  operator((db) => findUserByEmail(db, 'user41@example.com')),
  request((db, w) =>
    insertAuditEntry(db, {
      tenantId: w.ours,
      action: 'a',
      outcome: 'done',
      actorId: null,
      actor: null,
      actorRole: null,
      target: null,
      ip: null,
      correlationId: null,
      data: {},
    }),
  ),
  request((db, w) =>
    insertUser(db, {
      userId: uuidv7(),
      tenantId: w.ours,
      email: 'new@example.com',
      name: null,
      role: 'user',
      passwordHash: 'x',
      mustChangePassword: false,
    }),
  ),
  request((db, w) => deleteUser(db, w.ours, user(w))),
  request((db, w) => listApiKeys(db, w.ours, null, 20)),
  request((db, w) =>
    insertApiKey(db, {
      keyId: uuidv7(),
      tenantId: w.ours,
      name: 'new',
      secretHash: Buffer.alloc(32),
      scopes: [],
      createdBy: null,
      expiresAt: null,
    }),
  ),
  request((db, w) => revokeApiKey(db, w.ours, w.id('key_id', 41))),
  request((db, w) => listAuditEntries(db, filter(w))),
  request((db, w) => listAuditEntries(db, { ...filter(w), actions: ['action 1'] })),
  request((db, w) => listClients(db, w.ours, null, 20)),
  request((db, w) => findClient(db, w.ours, w.id('client_id', 41))),
  request((db, w) => insertClient(db, w.ours, uuidv7(), 'new')),
  request((db, w) => renameClient(db, w.ours, w.id('client_id', 41), 'other')),
  request((db, w) => deleteClient(db, w.ours, w.id('client_id', 41))),
  request((db, w) => listMemberships(db, w.ours, null, 20)),
  request((db, w) =>
    insertMembership(db, {
      membershipId: uuidv7(),
      tenantId: w.ours,
      userId: user(w),
      email: 'a@example.com',
      reason: 'help',
      grantedBy: null,
      hours: 1,
    }),
  ),
  request((db, w) => revokeMembership(db, w.ours, w.id('membership_id', 41))),
  operator((db) => listTenants(db), { readsAll: 'all tenants' }),
  operator((db, w) => findTenant(db, w.ours)),
  request((db, w) => listUsers(db, w.ours, null, 20)),
  request((db, w) => findUser(db, w.ours, user(w))),
  request((db, w) => lockAdmins(db, w.ours), { readsAll: 'the users of one tenant' }),
  request((db, w) => updateUser(db, w.ours, user(w), { name: 'other' })),
  request((db, w) => setPassword(db, w.ours, user(w), 'x', false)),
  request((db, w) => takeOneTimePassword(db, w.ours, user(w))),
  request((db, w) => endSessions(db, w.ours, user(w))),
  request((db, w) => noteLogin(db, w.ours, user(w))),
  operator((db) => insertTenant(db, uuidv7(), 'new', 'free')),
  operator((db) => insertTrialTenant(db, uuidv7())),
  operator((db) => listTrialTenants(db), { readsAll: 'the tenants on trial' }),
  operator((db, w) => updateTenantPlan(db, w.ours, 'growth')),
];

const requests: PlanCase[] = [
  operator((db) => pruneIdempotencyKeys(db, 60, 50)),
  request((db, w) => reserveKey(db, key(w), Buffer.alloc(32), 60)),
  request((db, w) => findStoredAnswer(db, key(w))),
  request((db, w) => renewKey(db, key(w), 60)),
  request((db, w) => storeAnswer(db, key(w), 200, Buffer.alloc(4))),
  request((db, w) => releaseKey(db, key(w))),
  request((db, w) => forgetAnswers(db, w.ours, 'search.ask'), {
    readsAll: 'what one operation answered one tenant within the time of a key',
  }),
  request((db, w) =>
    insertMappingVersion(db, {
      tenantId: w.ours,
      pipeline: 'ads',
      fingerprint: '0'.repeat(32),
      name: 'new',
      mapping: { fields: {} } as never,
      reading: {} as never,
      createdBy: null,
      basedOn: 0,
    }),
  ),
  request((db) => listMappings(db, { pipeline: 'ads', limit: 20 })),
  request((db) => selectMapping(db, { pipeline: 'ads', fingerprint: '0'.repeat(32) })),
];

testPlans({
  folders: ['src/access', 'src/http', 'src/tabular', 'src/roles', 'src/cli', 'src/sources', 'src/platform'],
  cases: [...people, ...requests],
  exempt: { 'access-delete-trial-tenant': 'reads what belongs to a tenant that has nothing' },
});
