// What a short command works with when it works on the database itself: the installation that the configuration names, opened
// for the length of the command. A server that runs on the same home or database is not disturbed.
import { listTenants } from '../access/operator.ts';
import type { TenantRow } from '../access/sql/list-tenants.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import { type Config, loadConfig } from '../platform/config.ts';
import type { Pool } from '../platform/database.ts';
import { createAppPool } from '../roles/app-pool.ts';
import { type Installation, openInstallation } from '../roles/installation.ts';
import { createToolProcess, type RoleProcess } from '../roles/role-process.ts';
import { createRunDesk, type RunDesk } from '../roles/run-desk.ts';

export interface Toolbox {
  readonly config: Config;
  readonly process: RoleProcess;
  readonly installation: Installation;
  /** Runs as millrace_app, or as the operator where a function says so. */
  readonly app: Pool;
  readonly runs: RunDesk;
}

const OPERATOR = 'operator';

export async function withToolbox<T>(work: (tools: Toolbox) => Promise<T>): Promise<T> {
  const tools = await openToolbox();
  try {
    return await work(tools);
  } finally {
    await tools.process.shutdown.stop('done');
  }
}

export async function openToolbox(): Promise<Toolbox> {
  const config = loadConfig();
  const process = createToolProcess(config);
  try {
    const installation = await openInstallation(process);
    const app = createAppPool(config, installation.database, process.log);
    process.shutdown.add('connections', () => app.end());
    return { config, process, installation, app, runs: createRunDesk(installation.engine, OPERATOR) };
  } catch (error) {
    await process.shutdown.stop('could not start');
    throw error;
  }
}

/** Commands find tenants by their names, so two of one name would be of use to nobody. */
export async function requireNewName(pool: Pool, name: string): Promise<void> {
  const taken = (await listTenants(pool)).find((tenant) => tenant.name === name.trim());
  if (taken) throw new MillraceError('tenant_name_taken', { tenant: taken.name, id: taken.tenant_id });
}

/** The tenant a command means: the one it names by name or id, or the only one there is. */
export async function chooseTenant(pool: Pool, wanted: string | undefined): Promise<TenantRow> {
  const tenants = await listTenants(pool);
  if (wanted !== undefined) {
    const named = tenants.filter((tenant) => tenant.tenant_id === wanted || tenant.name === wanted);
    if (named.length > 1) throw new MillraceError('tenant_name_shared', { count: named.length, tenant: wanted });
    if (named[0]) return named[0];
    throw new MillraceError('tenant_not_found', { tenant: wanted });
  }
  const [only] = tenants;
  if (only && tenants.length === 1) return only;
  if (!only) throw new MillraceError('tenant_none');
  throw new MillraceError('tenant_unclear', { count: tenants.length });
}
