// The audit of who can see what: every way in which one tenant's rows could become visible to another that the catalogue can show.
// An empty list is the promise; each finding says what is wrong and where.
import type { Queryable } from '../platform/database.ts';
import {
  findOpenViews,
  findUnprotectedTables,
  listAppRoles,
  listDefinerFunctions,
  listWidePolicies,
} from './sql/audit-security.ts';

export interface Finding {
  readonly what: 'table' | 'view' | 'function' | 'role' | 'policy' | 'login';
  readonly name: string;
  readonly problem: string;
}

/** The functions that may run with their owner's rights, each with its reason. */
const allowedDefiners: ReadonlyMap<string, string> = new Map([
  ['public.index_signatures', 'only the owner can make an index; takes the name of a model, reads nothing'],
  [
    'public.reactivate_document_version',
    'the one way in which the API serves a version again; touches only versions of the session’s tenant',
  ],
  ['engine.add_history_month', 'only the owner can make a partition; takes a month, reads nothing'],
  ['engine.detach_history_month', 'only the owner can detach a partition; takes a month, reads nothing'],
  ['engine.drop_detached_month', 'only the owner can drop a table; drops months that were detached, reads nothing'],
  ['public.find_login', 'before a sign-in no tenant is known; finds one account by its exact address'],
  [
    'engine.stop_effects',
    'cancels or ends only the transactions under the fence of the attempt it is given; reads no row',
  ],
]);

/**
 * Policies that do not name a tenant on purpose: the engine on its own schema, the operator, the owner's look-up for find_login,
 * the clean-up of staged rows whose time is over, the search for cancelled syncs (ids and times only), support's look at
 * syncs, and the services of sources (ids, times and queue addresses; no credential).
 */
const wideOnPurpose: readonly ((policy: { table: string; policy: string; role: string }) => boolean)[] = [
  ({ table, role }) => role === 'millrace_engine' && table.startsWith('engine.'),
  ({ role }) => role === 'millrace_operator',
  ({ policy }) => policy === 'login_lookup',
  ({ policy, role }) =>
    policy === 'expired_any_tenant' &&
    ['ads_cleanup', 'judgments_cleanup', 'documents_cleanup', 'items_cleanup'].includes(role),
  ({ policy, role }) => policy === 'open_any_tenant' && role === 'syncs_canceller',
  ({ policy, role }) => policy === 'support_any_tenant' && role === 'syncs_support',
  ({ policy, role }) => ['expired_any_tenant', 'watched_any_tenant'].includes(policy) && role === 'sources_services',
  // Ids and times of runs on their way to a worker; no document.
  ({ policy, role }) => policy === 'deliveries_of_any_tenant' && role === 'documents_delivery',
  // Sums of counters for GET /metrics; sees no tenant.
  ({ policy, role }) => policy === 'figures_any_tenant' && role === 'items_figures',
  // Finds tenants whose vectors are due; sees ids and states only.
  ({ policy, role }) => policy === 'due_of_any_tenant' && role === 'documents_models',
];

/** `db` must be a connection of the application's login, on whatever role. */
export async function auditSecurity(
  db: Queryable,
  alsoAllowed: ReadonlyMap<string, string> = new Map(),
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of await findUnprotectedTables(db))
    findings.push({ what: 'table', name, problem: 'row-level security is not enabled and forced' });
  for (const name of await findOpenViews(db))
    findings.push({ what: 'view', name, problem: 'it reads with its owner’s rights, not the caller’s' });
  findings.push(...(await auditFunctions(db, alsoAllowed)), ...(await auditRoles(db)), ...(await auditPolicies(db)));
  return findings;
}

async function auditFunctions(db: Queryable, alsoAllowed: ReadonlyMap<string, string>): Promise<Finding[]> {
  return (await listDefinerFunctions(db)).flatMap(({ name, pinned, open }) => {
    const problems = [
      ...(allowedDefiners.has(name) || alsoAllowed.has(name)
        ? []
        : ['it runs with its owner’s rights and is not on the list']),
      ...(pinned ? [] : ['its search path is not fixed']),
      ...(open ? ['everybody may call it'] : []),
    ];
    return problems.map((problem): Finding => ({ what: 'function', name, problem }));
  });
}

async function auditRoles(db: Queryable): Promise<Finding[]> {
  return (await listAppRoles(db)).flatMap(({ role, is_login: isLogin, superuser, bypasses, owned }) => {
    const problems = [
      ...(superuser ? ['it is a superuser'] : []),
      ...(bypasses ? ['it bypasses row-level security'] : []),
      ...(owned > 0 ? [`it owns ${owned} objects and could change their protection`] : []),
    ];
    return problems.map((problem): Finding => ({ what: isLogin ? 'login' : 'role', name: role, problem }));
  });
}

async function auditPolicies(db: Queryable): Promise<Finding[]> {
  const roles = new Set((await listAppRoles(db)).filter(({ is_login: isLogin }) => !isLogin).map(({ role }) => role));
  return (await listWidePolicies(db))
    .filter(({ role }) => role === 'public' || roles.has(role))
    .filter((policy) => !wideOnPurpose.some((isMeant) => isMeant(policy)))
    .map(({ table, policy, role }) => ({
      what: 'policy',
      name: `${table} (${policy})`,
      problem: `it shows ${role} rows of every tenant`,
    }));
}
