// Users, for the operator: the first admin of a tenant, lost passwords, roles. Tenants' own admins use the console.
import type { Command } from 'commander';
import { createUser, listUsers, type UserWithPassword } from '../../access/operator.ts';
import { resetPasswordOf, setDisabled, setRole } from '../../access/operator-users.ts';
import type { UserRow } from '../../access/sql/list-users.ts';
import { roles } from '../../contract/api/roles.ts';
import type { Pool } from '../../platform/database.ts';
import { chooseTenant } from '../choose-tenant.ts';
import { withToolbox } from '../connection.ts';
import { type Column, formatTable, paint, say, sayJson } from '../output.ts';
import { tenantOption } from '../tenant-option.ts';
import { relativeTime } from '../times.ts';

interface UserOptions {
  readonly tenant?: string;
  readonly role: string;
  readonly name?: string;
  readonly json?: boolean;
}

const columns: readonly Column<UserRow>[] = [
  { title: 'user', value: (user) => user.email },
  { title: 'role', value: (user) => user.role },
  { title: 'state', value: (user) => (user.disabled_at === null ? 'active' : 'disabled') },
  {
    title: 'last sign-in',
    value: (user) => (user.last_login_at === null ? 'never' : relativeTime(user.last_login_at)),
  },
  { title: 'id', value: (user) => user.user_id },
];

export function addUserCommands(program: Command): void {
  const users = program
    .command('users')
    .summary('create users, set roles, reset passwords')
    .description(`The people of a tenant. Roles: ${roles.join(', ')}.`)
    .addHelpText(
      'after',
      '\nExamples:\n  millrace users create ada@acme.example --role admin --tenant Acme\n  millrace users reset-password ada@acme.example\n  millrace users set-role ada@acme.example user',
    );

  users
    .command('create')
    .summary('create a user with a one-time password')
    .description('Creates a user and prints a one-time password, once.')
    .argument('<email>', 'the address the user signs in with')
    .option('--role <role>', roles.join(', '), 'user')
    .option('--name <name>', 'name of the person')
    .addOption(tenantOption())
    .action(async (email: string, _: UserOptions, command: Command) => {
      const { role, name, tenant, json } = command.optsWithGlobals<UserOptions>();
      const made = await withToolbox(async ({ app }) => {
        const { tenant_id: tenantId } = await chooseTenant(app, tenant);
        return createUser(app, { tenantId, email, role, ...(name === undefined ? {} : { name }) });
      });
      sayPassword(made, json, `${made.user.email} may sign in as ${made.user.role}`);
    });

  users
    .command('list')
    .summary('list the users of a tenant')
    .description('Lists the users of a tenant.')
    .addOption(tenantOption())
    .action(async (_: UserOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<UserOptions>();
      const rows = await withToolbox(async ({ app }) => listUsers(app, (await chooseTenant(app, tenant)).tenant_id));
      if (json) sayJson(rows);
      else say(rows.length === 0 ? 'There are no users yet.' : formatTable(columns, rows));
    });

  users
    .command('set-role')
    .summary('give a user another role')
    .description('Gives a user another role. The last admin of a tenant stays admin.')
    .argument('<email>', 'the address the user signs in with')
    .argument('<role>', roles.join(', '))
    .action((email: string, role: string, _: UserOptions, command: Command) =>
      change(
        command,
        (app) => setRole(app, email, role),
        (user) => `${user.email} is ${user.role}.`,
      ),
    );

  users
    .command('disable')
    .summary('disable a user')
    .description('Disables a user. Their sessions end within a minute, on every server.')
    .argument('<email>', 'the address the user signs in with')
    .action((email: string, _: UserOptions, command: Command) =>
      change(
        command,
        (app) => setDisabled(app, email, true),
        (user) => `${user.email} is disabled.`,
      ),
    );

  users
    .command('enable')
    .summary('enable a disabled user')
    .description('Enables a disabled user.')
    .argument('<email>', 'the address the user signs in with')
    .action((email: string, _: UserOptions, command: Command) =>
      change(
        command,
        (app) => setDisabled(app, email, false),
        (user) => `${user.email} is active.`,
      ),
    );

  users
    .command('reset-password')
    .summary('give a user a new one-time password')
    .description('Gives a user a new one-time password and ends their sessions.')
    .argument('<email>', 'the address the user signs in with')
    .action(async (email: string, _: UserOptions, command: Command) => {
      const reset = await withToolbox(({ app }) => resetPasswordOf(app, email));
      sayPassword(reset, command.optsWithGlobals<UserOptions>().json, `${reset.user.email} may sign in`);
    });
}

async function change(
  command: Command,
  act: (app: Pool) => Promise<UserRow>,
  describe: (user: UserRow) => string,
): Promise<void> {
  const user = await withToolbox(({ app }) => act(app));
  if (command.optsWithGlobals<UserOptions>().json) sayJson(user);
  else say(describe(user));
}

function sayPassword({ user, oneTimePassword }: UserWithPassword, json: boolean | undefined, what: string): void {
  if (json) sayJson({ ...user, one_time_password: oneTimePassword });
  else say(`${what} with the one-time password ${paint('bold', oneTimePassword)}, shown only now.`);
}
