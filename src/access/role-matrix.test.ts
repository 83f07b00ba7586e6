// Who may do what, as a table a person can check: read from the route table, written out here.
import { describe, expect, it } from 'vitest';
import type { OperationId } from '../contract/api/operations.ts';
import { type Role, roles, type Scope } from '../contract/api/roles.ts';
import { routes } from '../contract/api/routes.ts';
import { authorize, type Principal } from './principal.ts';

const may = (role: Role, operation: OperationId, scopes: readonly Scope[] | null = null) => {
  const principal: Principal = {
    kind: scopes === null ? 'user' : 'key',
    tenantId: 't',
    actorId: 'a',
    actor: 'a',
    role,
    scopes,
    mustChangePassword: false,
    expiresAt: null,
  };
  try {
    authorize(principal, routes[operation].access);
    return true;
  } catch {
    return false;
  }
};
const who = (operation: OperationId) => roles.filter((role) => may(role, operation)).join(' ');

describe('roles', () => {
  it.each([
    ['upload a file', 'uploads.create', 'admin user service'],
    ['see runs', 'runs.list', 'admin user support service'],
    ['see ingestion runs', 'ingestion-runs.list', 'admin user support service'],
    ['retry an ingestion run', 'ingestion-runs.retry', 'admin user service'],
    ['see rejects', 'rejects.list', 'admin user service'],
    ['read stored rows', 'ads.daily-metrics', 'admin user service'],
    ['cancel a run', 'runs.cancel', 'admin user service'],
    ['requeue a dead letter', 'runs.requeue', 'admin support'],
    ['see dead letters', 'dead-letters.list', 'admin support service'],
    ['add a source', 'connectors.create', 'admin'],
    ['change a source', 'connectors.update', 'admin'],
    ['remove a source', 'connectors.remove', 'admin'],
    ['trigger a sync', 'syncs.trigger', 'admin support service'],
    ['upload a document', 'documents.ingest', 'admin user service'],
    ['see documents', 'documents.list', 'admin user service'],
    ['see the chunks of a document', 'documents.chunks', 'admin user service'],
    ['search', 'search.run', 'admin user service'],
    ['ask', 'search.ask', 'admin user service'],
    ['deactivate a document', 'documents.deactivate', 'admin'],
    ['serve a version again', 'documents.reactivate', 'admin'],
    ['erase a document', 'documents.purge', 'admin'],
    ['see orphans', 'documents.orphans', 'admin'],
    ['connect a bucket', 'sources.create', 'admin'],
    ['change a bucket', 'sources.update', 'admin'],
    ['remove a bucket', 'sources.remove', 'admin'],
    ['sync a bucket', 'sources.sync', 'admin'],
    ['manage users', 'users.create', 'admin'],
    ['change users', 'users.update', 'admin'],
    ['remove users', 'users.remove', 'admin'],
    ['make API keys', 'api-keys.create', 'admin'],
    ['let support in', 'memberships.create', 'admin'],
    ['pause a pipeline', 'pipelines.pause', 'admin service'],
    ['read the audit log', 'operate.audit', 'admin'],
    ['change one’s password', 'auth.password', 'admin user support service'],
  ] as const)('%s', (_, operation, expected) => {
    expect(who(operation)).toBe(expected);
  });

  it('support is let in to dead letters and its own account, and to nothing that holds rows', () => {
    const open = (Object.keys(routes) as OperationId[]).filter(
      (operation) => routes[operation].access.kind === 'roles' && may('support', operation),
    );
    expect(open.sort()).toEqual([
      'auth.logout',
      'auth.me',
      'auth.password',
      'dead-letters.acknowledge',
      'dead-letters.list',
      'dead-letters.requeue',
      'ingestion-runs.list',
      'ingestion-runs.show',
      'pipelines.list',
      'runs.attempts',
      'runs.bulk',
      'runs.events',
      'runs.list',
      'runs.requeue',
      'runs.show',
      'syncs.trigger',
    ]);
  });

  it('an API key does what its scopes say and never what only people may', () => {
    expect(may('service', 'runs.list', ['runs:read'])).toBe(true);
    expect(may('service', 'runs.cancel', ['runs:read'])).toBe(false);
    expect(may('service', 'runs.cancel', ['runs:write'])).toBe(true);
    expect(may('service', 'auth.me', [])).toBe(true);
    for (const operation of ['users.list', 'api-keys.create', 'auth.password', 'operate.audit'] as const)
      expect(may('service', operation, ['runs:read', 'runs:write', 'data:read', 'operate:write'])).toBe(false);
  });
});
