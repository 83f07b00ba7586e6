// Connectors: which Airbyte connections are synced, how often, and how fresh they are.
import { type Command, InvalidArgumentError } from 'commander';
import { withConnection } from '../../../cli/connection.ts';
import { type Column, formatFacts, formatTable, say, sayJson } from '../../../cli/output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../../../cli/pages.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';
import { when } from '../../../cli/times.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';

type Connector = AnswerOf<'connectors.show'>;

interface ConnectorOptions extends PageOptions {
  readonly tenant?: string;
  readonly name?: string;
  readonly account?: string;
  readonly every?: number;
  readonly json?: boolean;
}

const HOUR = 3_600;

const columns: readonly Column<Connector>[] = [
  { title: 'connector', value: (each) => each.name },
  { title: 'freshness', value: (each) => each.freshness ?? 'off' },
  { title: 'every', value: (each) => `${each.effective_interval_seconds / HOUR} h` },
  { title: 'last success', value: (each) => when(each.last_success_at) },
  { title: 'next', value: (each) => each.live_job?.status ?? when(each.next_sync_at) },
  { title: 'id', value: (each) => each.connector_id },
];

const ofTenant = (command: Command) => command.addOption(tenantOption());

export function addConnectorCommands(program: Command): void {
  const connectors = program
    .command('connectors')
    .summary('set up Airbyte connections and see how fresh they are')
    .description('A connector syncs one Airbyte connection on schedule, as often as the plan of its tenant allows.')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace connectors available\n  millrace connectors add 0b7e… --name "Shop orders" --account shop-456 --every 6\n' +
        '  millrace connectors list',
    );
  addListCommands(connectors);
  addChangeCommands(connectors);
}

function addListCommands(connectors: Command): void {
  inPages(ofTenant(connectors.command('list')), 100)
    .description('Lists the connectors.')
    .action(async (_: ConnectorOptions, command: Command) => {
      const { tenant, json, ...place } = command.optsWithGlobals<ConnectorOptions>();
      const query = pageQuery(place);
      const page = await withConnection({ tenant }, ({ call }) => call('connectors.list', { query }));
      sayPage(page, { json, none: 'There are no connectors yet.', format: (rows) => formatTable(columns, rows) });
    });

  ofTenant(connectors.command('available'))
    .description('Lists the Airbyte connections to choose from.')
    .action(async (_: ConnectorOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<ConnectorOptions>();
      const { data } = await withConnection({ tenant }, ({ call }) => call('connectors.available'));
      if (json) sayJson(data);
      else
        say(
          data.length === 0
            ? 'Airbyte shows no connections in the workspace.'
            : data.map((each) => `${each.connection_id}  ${each.status}  ${each.name}`).join('\n'),
        );
    });
}

function addChangeCommands(connectors: Command): void {
  ofTenant(connectors.command('add'))
    .description(
      'Adds a connector. Give it a credential of its own over the API, not here: others can see command lines.',
    )
    .argument('<connection>', 'id of the connection at Airbyte')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--account <id>', 'the external account it belongs to')
    .option('--every <hours>', 'interval in hours, where the plan lets you choose', hours)
    .action(async (connection: string, _: ConnectorOptions, command: Command) => {
      const { tenant, name = '', account = '', every, json } = command.optsWithGlobals<ConnectorOptions>();
      const body = {
        name,
        connection_id: connection,
        external_account_id: account,
        ...(every === undefined ? {} : { interval_seconds: every * HOUR }),
      };
      const added = await withConnection({ tenant }, ({ call }) => call('connectors.create', { body }));
      print(added, json);
    });

  ofTenant(connectors.command('show'))
    .description('Shows a connector.')
    .argument('<connector>', 'id of the connector, see "millrace connectors list"')
    .action(async (connector: string, _: ConnectorOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<ConnectorOptions>();
      const params = { connector_id: connector };
      print(await withConnection({ tenant }, ({ call }) => call('connectors.show', { params })), json);
    });

  ofTenant(connectors.command('update'))
    .description('Changes a connector.')
    .argument('<connector>', 'id of the connector, see "millrace connectors list"')
    .option('--name <name>', 'its name')
    .option('--account <id>', 'the external account it belongs to')
    .option('--every <hours>', 'interval in hours, where the plan lets you choose', hours)
    .action(async (connector: string, _: ConnectorOptions, command: Command) => {
      const { tenant, name, account, every, json } = command.optsWithGlobals<ConnectorOptions>();
      const body = {
        ...(name === undefined ? {} : { name }),
        ...(account === undefined ? {} : { external_account_id: account }),
        ...(every === undefined ? {} : { interval_seconds: every * HOUR }),
      };
      const params = { connector_id: connector };
      print(await withConnection({ tenant }, ({ call }) => call('connectors.update', { params, body })), json);
    });

  for (const enabled of [true, false]) {
    ofTenant(connectors.command(enabled ? 'enable' : 'disable'))
      .description(
        enabled ? 'Switches connectors on again and resets their count of failures.' : 'Switches a connector off.',
      )
      .argument('<connector>', 'id of the connector, see "millrace connectors list"')
      .action(async (connector: string, _: ConnectorOptions, command: Command) => {
        const { tenant, json } = command.optsWithGlobals<ConnectorOptions>();
        const params = { connector_id: connector };
        const body = { enabled };
        print(await withConnection({ tenant }, ({ call }) => call('connectors.update', { params, body })), json);
      });
  }

  ofTenant(connectors.command('remove'))
    .description(
      'Removes a connector. A live sync of it is cancelled, here and at Airbyte; its past syncs stay in the ledger.',
    )
    .argument('<connector>', 'id of the connector, see "millrace connectors list"')
    .action(async (connector: string, _: ConnectorOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<ConnectorOptions>();
      const params = { connector_id: connector };
      await withConnection({ tenant }, ({ call }) => call('connectors.remove', { params }));
      if (json) sayJson({ removed: connector });
      else say(`${connector} is removed.`);
    });
}

function print(connector: Connector, asJson = false): void {
  if (asJson) {
    sayJson(connector);
    return;
  }
  say(
    formatFacts([
      ['connector', `${connector.name} (${connector.connector_id})`],
      ['freshness', connector.freshness ?? 'off'],
      ['connection', connector.connection_id],
      ['account', connector.external_account_id],
      ['every', `${connector.effective_interval_seconds / HOUR} h`],
      ['last success', when(connector.last_success_at)],
      ['live sync', connector.live_job ? `${connector.live_job.status} (${connector.live_job.job_id})` : undefined],
      ['next sync', connector.live_job ? undefined : when(connector.next_sync_at)],
      ['switched off', connector.disabled_reason ?? undefined],
      ['last error', connector.last_error_code ?? undefined],
    ]),
  );
}

function hours(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('give whole hours, 1 or more');
  return value;
}
