// Alerts: what is wrong now, which rules apply, which sinks receive messages, and whether the messages arrive.
import { type Command, InvalidArgumentError } from 'commander';
import type { AnswerOf } from '../../contract/api/client.ts';
import { withConnection } from '../connection.ts';
import { exitCodes } from '../failure.ts';
import { type Column, formatTable, say, sayJson } from '../output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../pages.ts';
import { tenantOption } from '../tenant-option.ts';
import { relativeTime } from '../times.ts';

type Alert = AnswerOf<'alerts.acknowledge'>;
type Rule = AnswerOf<'alert-rules.update'>;
type Sink = AnswerOf<'alert-sinks.show'>;

interface AlertOptions extends PageOptions {
  readonly tenant?: string;
  readonly all?: boolean;
  readonly threshold?: number;
  readonly name: string;
  readonly json?: boolean;
}

const alertColumns: readonly Column<Alert>[] = [
  { title: 'since', value: (each) => relativeTime(new Date(each.opened_at)) },
  { title: 'severity', value: (each) => each.severity },
  { title: 'alert', value: (each) => each.message },
  { title: 'state', value: stateOf },
  { title: 'id', value: (each) => each.alert_id },
];

const ruleColumns: readonly Column<Rule>[] = [
  { title: 'rule', value: (each) => each.name },
  { title: 'watches', value: watches },
  { title: 'severity', value: (each) => each.severity },
  { title: 'state', value: (each) => (each.enabled ? 'on' : 'off') },
  { title: 'open', value: (each) => String(each.open_alerts) },
  { title: 'origin', value: (each) => each.origin },
];

const sinkColumns: readonly Column<Sink>[] = [
  { title: 'sink', value: (each) => each.name },
  { title: 'kind', value: (each) => each.kind },
  { title: 'host', value: (each) => each.host },
  { title: 'from', value: (each) => each.min_severity },
  { title: 'last sent', value: (each) => (each.last_ok_at === null ? '–' : relativeTime(new Date(each.last_ok_at))) },
  { title: 'state', value: (each) => sinkState(each) },
  { title: 'id', value: (each) => each.sink_id },
];

export function addAlertCommands(program: Command): void {
  const alerts = program
    .command('alerts')
    .summary('list alerts, change rules, manage receivers')
    .description(
      'Millrace opens an alert once per rule and subject, sends it to the sinks of its tenant, and resolves it when its cause is gone.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  millrace alerts list\n  millrace alerts rules set backlog --threshold 500\n  millrace alerts test 0b7e…\n' +
        '  echo "$URL" | millrace alerts sinks add discord --name "Data team"',
    );

  inPages(ofTenant(alerts.command('list')), 50)
    .description('Lists the open alerts, newest first.')
    .option('--all', 'resolved ones too')
    .action(async (_: AlertOptions, command: Command) => {
      const { tenant, all, json, ...place } = command.optsWithGlobals<AlertOptions>();
      const query = { ...pageQuery(place), ...(all ? {} : { status: 'open' as const }) };
      const page = await withConnection({ tenant }, ({ call }) => call('alerts.list', { query }));
      const none = all ? 'There are no alerts.' : 'There are no open alerts.';
      sayPage(page, { json, none, format: (rows) => formatTable(alertColumns, rows) });
    });

  ofTenant(alerts.command('ack'))
    .description('Acknowledges an alert: Millrace sends no more reminders.')
    .argument('<alert>', 'id of the alert, see "millrace alerts list"')
    .action(async (alert: string, _: AlertOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<AlertOptions>();
      const params = { alert_id: alert };
      const answer = await withConnection({ tenant }, ({ call }) => call('alerts.acknowledge', { params }));
      if (json) sayJson(answer);
      else say(`${alert} is acknowledged by ${answer.acknowledged_by ?? 'nobody: it has ended'}.`);
    });

  ofTenant(alerts.command('test'))
    .description('Sends a test message to a sink and prints the result. Exit code 1 if it failed.')
    .argument('<sink>', 'id of the sink, see "millrace alerts sinks list"')
    .action(async (sink: string, _: AlertOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<AlertOptions>();
      const params = { sink_id: sink };
      const answer = await withConnection({ tenant }, ({ call }) => call('alert-sinks.test', { params }));
      if (json) sayJson(answer);
      else say(answer.ok ? `It works: ${answer.message} (${answer.ms} ms)` : answer.message);
      if (!answer.ok) process.exitCode = exitCodes.failed;
    });

  addRuleCommands(alerts);
  addSinkCommands(alerts);
}

function addRuleCommands(alerts: Command): void {
  const rules = alerts.command('rules').description('Lists and changes the rules of a tenant.');
  inPages(ofTenant(rules.command('list', { isDefault: true })), 500)
    .description('Lists the rules.')
    .action(async (_: AlertOptions, command: Command) => {
      const { tenant, json, ...place } = command.optsWithGlobals<AlertOptions>();
      const query = pageQuery(place);
      const page = await withConnection({ tenant }, ({ call }) => call('alert-rules.list', { query }));
      sayPage(page, { json, none: 'There are no rules.', format: (rows) => formatTable(ruleColumns, rows) });
    });
  ofTenant(rules.command('set'))
    .description('Changes the threshold of a rule, for this tenant.')
    .argument('<rule>', 'name of the rule, see "millrace alerts rules list"')
    .requiredOption('--threshold <number>', 'the value beyond which the rule alerts', decimal)
    .action(async (rule: string, _: AlertOptions, command: Command) => {
      const { tenant, threshold, json } = command.optsWithGlobals<AlertOptions>();
      await updateRule(tenant, rule, { ...(threshold === undefined ? {} : { threshold }) }, json);
    });
  for (const enabled of [true, false])
    ofTenant(rules.command(enabled ? 'on' : 'off'))
      .description(enabled ? 'Switches a rule on.' : 'Switches a rule off; its alerts are resolved.')
      .argument('<rule>', 'name of the rule, see "millrace alerts rules list"')
      .action(async (rule: string, _: AlertOptions, command: Command) => {
        const { tenant, json } = command.optsWithGlobals<AlertOptions>();
        await updateRule(tenant, rule, { enabled }, json);
      });
}

function addSinkCommands(alerts: Command): void {
  const sinks = alerts.command('sinks').description('Lists, adds and removes the receivers of alerts.');
  inPages(ofTenant(sinks.command('list', { isDefault: true })), 500)
    .description('Lists the sinks.')
    .action(async (_: AlertOptions, command: Command) => {
      const { tenant, json, ...place } = command.optsWithGlobals<AlertOptions>();
      const query = pageQuery(place);
      const page = await withConnection({ tenant }, ({ call }) => call('alert-sinks.list', { query }));
      sayPage(page, { json, none: 'There are no sinks yet.', format: (rows) => formatTable(sinkColumns, rows) });
    });
  ofTenant(sinks.command('add'))
    .description(
      'Adds a sink. Its address (for PagerDuty: its routing key) is read from standard input, because others can see command lines.',
    )
    .argument('<kind>', 'discord, slack, pagerduty or webhook', sinkKind)
    .requiredOption('--name <name>', 'its name')
    .action(async (kind: Sink['kind'], _: AlertOptions, command: Command) => {
      const { tenant, name, json } = command.optsWithGlobals<AlertOptions>();
      const secret = await readStandardInput();
      const body = kind === 'pagerduty' ? { kind, name, routing_key: secret } : { kind, name, url: secret };
      const added = await withConnection({ tenant }, ({ call }) => call('alert-sinks.create', { body }));
      if (json) sayJson(added);
      else
        say(`${added.name} (${added.sink_id}) sends to ${added.host}. Try it: millrace alerts test ${added.sink_id}`);
    });
  ofTenant(sinks.command('remove'))
    .description('Removes a sink and its unsent messages.')
    .argument('<sink>', 'id of the sink, see "millrace alerts sinks list"')
    .action(async (sink: string, _: AlertOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<AlertOptions>();
      await withConnection({ tenant }, ({ call }) => call('alert-sinks.remove', { params: { sink_id: sink } }));
      if (json) sayJson({ removed: sink });
      else say(`${sink} is removed.`);
    });
}

async function updateRule(
  tenant: string | undefined,
  rule: string,
  body: { threshold?: number; enabled?: boolean },
  asJson = false,
): Promise<void> {
  const changed = await withConnection({ tenant }, ({ call }) =>
    call('alert-rules.update', { params: { rule }, body }),
  );
  if (asJson) sayJson(changed);
  else say(formatTable(ruleColumns, [changed]));
}

function ofTenant(command: Command): Command {
  return command.addOption(tenantOption());
}

function watches({ event, metric, comparison, threshold, pipeline }: Rule): string {
  const what = event ?? `${metric} ${comparison} ${threshold}`;
  return pipeline === null ? what : `${what} (${pipeline})`;
}

function stateOf({ status, acknowledged_by: by }: Alert): string {
  if (status === 'resolved') return 'resolved';
  return by === null ? 'open' : `acknowledged by ${by}`;
}

function sinkState({ enabled, consecutive_failures: failures, last_error_code: code }: Sink): string {
  if (!enabled) return 'off';
  return failures > 0 ? `failing (${code})` : 'on';
}

async function readStandardInput(): Promise<string> {
  let text = '';
  for await (const part of process.stdin) text += part;
  return text.trim();
}

function sinkKind(text: string): Sink['kind'] {
  if (text === 'discord' || text === 'slack' || text === 'pagerduty' || text === 'webhook') return text;
  throw new InvalidArgumentError('give discord, slack, pagerduty or webhook');
}

function decimal(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('give a number');
  return value;
}
