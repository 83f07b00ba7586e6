// Webhooks: which endpoints receive events, how the deliveries went, and sending them again.
import { type Command, InvalidArgumentError } from 'commander';
import type { AnswerOf } from '../../contract/api/client.ts';
import { withConnection } from '../connection.ts';
import { type Column, formatFacts, formatTable, say, sayJson } from '../output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../pages.ts';
import { tenantOption } from '../tenant-option.ts';
import { when } from '../times.ts';

type Webhook = AnswerOf<'webhooks.show'>;
type Delivery = AnswerOf<'deliveries.list'>['data'][number];

interface WebhookOptions extends PageOptions {
  readonly tenant?: string;
  readonly events?: string[];
  readonly description?: string;
  readonly status?: string;
  readonly type?: string;
  readonly run?: string;
  readonly since?: string;
  readonly grace?: number;
  readonly preview?: boolean;
  readonly json?: boolean;
}

const endpointColumns: readonly Column<Webhook>[] = [
  { title: 'address', value: (each) => each.url },
  { title: 'state', value: stateOf },
  { title: 'events', value: (each) => each.event_types.join(' ') },
  { title: 'last success', value: (each) => when(each.last_success_at) },
  { title: 'waiting', value: (each) => String(each.waiting), right: true },
  { title: 'failed', value: (each) => String(each.failed), right: true },
  { title: 'id', value: (each) => each.endpoint_id },
];

const deliveryColumns: readonly Column<Delivery>[] = [
  { title: 'event', value: (each) => each.event_type },
  { title: 'status', value: (each) => each.status },
  { title: 'tries', value: (each) => String(each.attempts), right: true },
  { title: 'answer', value: (each) => String(each.http_status ?? each.error_code ?? '–') },
  { title: 'made', value: (each) => when(each.created_at) },
  { title: 'next', value: (each) => when(each.next_at) },
  { title: 'id', value: (each) => each.delivery_id },
];

export function addWebhookCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .summary('send events to your programs, and list the deliveries')
    .description(
      'Millrace sends an endpoint the events it asks for, signed as the Standard Webhooks specification says.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  millrace webhooks add https://example.com/hooks/millrace --events run.done run.failed\n' +
        '  millrace webhooks test ENDPOINT\n  millrace webhooks deliveries ENDPOINT --status failed\n' +
        '  millrace webhooks recover ENDPOINT --since 2026-02-15T00:00:00Z',
    );
  addEndpointCommands(webhooks);
  addSwitchCommands(webhooks);
  addDeliveryCommands(webhooks);
}

function addEndpointCommands(webhooks: Command): void {
  inPages(ofTenant(webhooks.command('list')), 100)
    .description('Lists the endpoints.')
    .action(async (_: WebhookOptions, command: Command) => {
      const { tenant, json, ...place } = command.optsWithGlobals<WebhookOptions>();
      const query = pageQuery(place);
      const page = await withConnection({ tenant }, ({ call }) => call('webhooks.list', { query }));
      sayPage(page, {
        json,
        none: 'There are no endpoints yet.',
        format: (rows) => formatTable(endpointColumns, rows),
      });
    });

  ofTenant(webhooks.command('add'))
    .description('Adds an endpoint and prints its secret, once.')
    .argument('<url>', 'address that receives the events')
    .option('--events <types...>', 'event types, groups such as run.*, or *; default: the ends of runs')
    .option('--description <text>', 'what it is for')
    .action(async (url: string, _: WebhookOptions, command: Command) => {
      const { tenant, events, description, json } = command.optsWithGlobals<WebhookOptions>();
      const body = {
        url,
        ...(events === undefined ? {} : { event_types: events }),
        ...(description === undefined ? {} : { description }),
      };
      printSecret(await withConnection({ tenant }, ({ call }) => call('webhooks.create', { body })), json);
    });

  ofTenant(webhooks.command('rotate'))
    .description('Creates a new secret and prints it, once. Millrace also signs with the former one for a while.')
    .argument('<endpoint>', 'id of the endpoint, see "millrace webhooks list"')
    .option('--grace <hours>', 'how long Millrace also signs with the former secret; 0 ends it at once', wholeHours)
    .action(async (endpoint: string, _: WebhookOptions, command: Command) => {
      const { tenant, grace, json } = command.optsWithGlobals<WebhookOptions>();
      const body = grace === undefined ? {} : { grace_hours: grace };
      const call = { params: { endpoint_id: endpoint }, body };
      printSecret(await withConnection({ tenant }, (server) => server.call('webhooks.rotate', call)), json);
    });

  ofTenant(webhooks.command('test'))
    .description('Sends a test event now and prints the result. Exit code 1 if it failed.')
    .argument('<endpoint>', 'id of the endpoint, see "millrace webhooks list"')
    .action(async (endpoint: string, _: WebhookOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<WebhookOptions>();
      const params = { endpoint_id: endpoint };
      const tried = await withConnection({ tenant }, ({ call }) => call('webhooks.test', { params }));
      if (json) sayJson(tried);
      else say(tried.message);
      if (!tried.ok) process.exitCode = 1;
    });

  ofTenant(webhooks.command('remove'))
    .description('Removes an endpoint, its waiting deliveries and its log.')
    .argument('<endpoint>', 'id of the endpoint, see "millrace webhooks list"')
    .action(async (endpoint: string, _: WebhookOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<WebhookOptions>();
      const params = { endpoint_id: endpoint };
      await withConnection({ tenant }, ({ call }) => call('webhooks.remove', { params }));
      if (json) sayJson({ removed: endpoint });
      else say(`${endpoint} is removed.`);
    });
}

function addSwitchCommands(webhooks: Command): void {
  for (const [verb, operation, description] of [
    ['enable', 'webhooks.enable', 'Switches an endpoint on again. What it missed can be recovered.'],
    [
      'disable',
      'webhooks.disable',
      'Switches an endpoint off. Millrace still records its events, so that you can recover them.',
    ],
  ] as const) {
    ofTenant(webhooks.command(verb))
      .description(description)
      .argument('<endpoint>', 'id of the endpoint, see "millrace webhooks list"')
      .action(async (endpoint: string, _: WebhookOptions, command: Command) => {
        const { tenant, json } = command.optsWithGlobals<WebhookOptions>();
        const params = { endpoint_id: endpoint };
        printEndpoint(await withConnection({ tenant }, ({ call }) => call(operation, { params })), json);
      });
  }
}

function addDeliveryCommands(webhooks: Command): void {
  inPages(ofTenant(webhooks.command('deliveries')), 50)
    .description('Lists the deliveries to an endpoint, newest first.')
    .argument('<endpoint>', 'id of the endpoint, see "millrace webhooks list"')
    .option('--status <status>', 'waiting, sending, delivered or failed; several separated by commas')
    .option('--type <type>', 'one event type')
    .option('--run <run>', 'of one run')
    .option('--since <time>', 'of events since then, e.g. 2026-02-15T00:00:00Z', time)
    .action(async (endpoint: string, _: WebhookOptions, command: Command) => {
      const { tenant, status, type, run, since, json, ...place } = command.optsWithGlobals<WebhookOptions>();
      const query = {
        ...pageQuery(place),
        ...(status === undefined ? {} : { status }),
        ...(type === undefined ? {} : { event_type: type }),
        ...(run === undefined ? {} : { run_id: run }),
        ...(since === undefined ? {} : { since }),
      };
      const params = { endpoint_id: endpoint };
      const page = await withConnection({ tenant }, ({ call }) => call('deliveries.list', { params, query }));
      sayPage(page, {
        json,
        none: 'There are no such deliveries.',
        format: (rows) => formatTable(deliveryColumns, rows),
      });
    });

  ofTenant(webhooks.command('resend'))
    .description('Sends a delivery again with the same webhook-id, also one that was delivered.')
    .argument('<endpoint>', 'id of the endpoint, see "millrace webhooks list"')
    .argument('<delivery>', 'id of the delivery, see "millrace webhooks deliveries"')
    .action(async (endpoint: string, delivery: string, _: WebhookOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<WebhookOptions>();
      const params = { endpoint_id: endpoint, delivery_id: delivery };
      const queued = await withConnection({ tenant }, ({ call }) => call('deliveries.resend', { params }));
      if (json) sayJson(queued);
      else say(`${queued.webhook_id} is queued again.`);
    });

  ofTenant(webhooks.command('recover'))
    .description('Queues again every failed delivery of events since a time.')
    .argument('<endpoint>', 'id of the endpoint, see "millrace webhooks list"')
    .requiredOption('--since <time>', 'e.g. 2026-02-15T00:00:00Z', time)
    .option('--preview', 'only count')
    .action(async (endpoint: string, _: WebhookOptions, command: Command) => {
      const { tenant, since = '', preview = false, json } = command.optsWithGlobals<WebhookOptions>();
      const call = { params: { endpoint_id: endpoint }, body: { since, preview } };
      const { count } = await withConnection({ tenant }, (server) => server.call('webhooks.recover', call));
      if (json) sayJson({ count, preview });
      else if (count === 0) say('No delivery has failed since then.');
      else say(`${count} failed ${count === 1 ? 'delivery' : 'deliveries'} ${preview ? 'would go' : 'go'} out again.`);
    });
}

function ofTenant(command: Command): Command {
  return command.addOption(tenantOption());
}

function printSecret(made: Webhook & { readonly secret: string }, asJson = false): void {
  if (asJson) {
    sayJson(made);
    return;
  }
  printEndpoint(made);
  say(`\n${made.secret}\n\nThis secret is shown once. docs/webhooks.md shows how to verify a signature with it.`);
}

function printEndpoint(endpoint: Webhook, asJson = false): void {
  if (asJson) {
    sayJson(endpoint);
    return;
  }
  say(
    formatFacts([
      ['endpoint', endpoint.endpoint_id],
      ['address', endpoint.url],
      ['events', endpoint.event_types.join(' ')],
      ['state', stateOf(endpoint)],
      ['last success', when(endpoint.last_success_at)],
      ['last error', endpoint.last_error_code ?? undefined],
    ]),
  );
}

function stateOf(endpoint: Webhook): string {
  if (!endpoint.enabled) return `off (${endpoint.disabled_reason})`;
  return endpoint.failure_streak > 0 ? `failing (${endpoint.failure_streak})` : 'on';
}

function wholeHours(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 168)
    throw new InvalidArgumentError('give whole hours, 0 to 168');
  return value;
}

function time(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('give a time such as 2026-02-15T00:00:00Z');
  return at.toISOString();
}
