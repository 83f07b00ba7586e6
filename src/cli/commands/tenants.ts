// Tenants, for the operator: only here are they made and their plans set.
import type { Command } from 'commander';
import { createTenant, listTenants, setPlan } from '../../access/operator.ts';
import type { TenantRow } from '../../access/sql/list-tenants.ts';
import { chooseTenant, requireNewName } from '../choose-tenant.ts';
import { withToolbox } from '../connection.ts';
import { type Column, formatTable, say, sayJson } from '../output.ts';
import { relativeTime } from '../times.ts';

interface TenantOptions {
  readonly plan?: string;
  readonly json?: boolean;
}

const columns: readonly Column<TenantRow>[] = [
  { title: 'tenant', value: (tenant) => tenant.name },
  { title: 'plan', value: (tenant) => tenant.plan },
  { title: 'id', value: (tenant) => tenant.tenant_id },
  { title: 'made', value: (tenant) => relativeTime(tenant.created_at) },
];

export function addTenantCommands(program: Command): void {
  const tenants = program
    .command('tenants')
    .summary('create tenants and set their plans')
    .description('Tenants are separate customers of one installation; no tenant sees the data of another.')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace tenants create "Acme" --plan growth\n  millrace tenants set-plan Acme enterprise\n  millrace tenants list --json',
    );

  tenants
    .command('create')
    .summary('create a tenant')
    .description('Creates a tenant.')
    .argument('<name>', 'its name')
    .option('--plan <plan>', 'free, growth or enterprise', 'free')
    .action(async (name: string, _: TenantOptions, command: Command) => {
      const { plan, json } = command.optsWithGlobals<TenantOptions>();
      const tenant = await withToolbox(async ({ app }) => {
        await requireNewName(app, name);
        return createTenant(app, { name, ...(plan ? { plan } : {}) });
      });
      if (json) sayJson(tenant);
      else
        say(
          `${tenant.name} (${tenant.tenant_id}) is created.\nNext: millrace users create EMAIL --role admin --tenant "${tenant.name}"`,
        );
    });

  tenants
    .command('list')
    .summary('list the tenants')
    .description('Lists the tenants.')
    .action(async (_: TenantOptions, command: Command) => {
      const rows = await withToolbox(({ app }) => listTenants(app));
      if (command.optsWithGlobals<TenantOptions>().json) sayJson(rows);
      else say(rows.length === 0 ? 'There are no tenants yet.' : formatTable(columns, rows));
    });

  tenants
    .command('set-plan')
    .summary('set the plan of a tenant')
    .description('Sets the plan of a tenant.')
    .argument('<tenant>', 'name or id')
    .argument('<plan>', 'free, growth or enterprise')
    .action(async (name: string, plan: string, _: TenantOptions, command: Command) => {
      const tenant = await withToolbox(async ({ app }) =>
        setPlan(app, (await chooseTenant(app, name)).tenant_id, plan),
      );
      if (command.optsWithGlobals<TenantOptions>().json) sayJson(tenant);
      else say(`${tenant.name} is on plan ${tenant.plan}.`);
    });
}
