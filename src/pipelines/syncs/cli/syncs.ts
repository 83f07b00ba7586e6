// Syncs: trigger one now, see what happened, cancel it, and the figures to watch.
import type { Command } from 'commander';
import { withConnection, withToolbox } from '../../../cli/connection.ts';
import { type Column, formatFacts, formatTable, say, sayJson } from '../../../cli/output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../../../cli/pages.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';
import { relativeTime } from '../../../cli/times.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import { entryOf, isErrorCode } from '../../../contract/errors/catalogue.ts';
import { asSyncsSupport, countDeadLettersByError, listStuckJobs, type StuckJob } from '../sql/support-queries.ts';

type Sync = AnswerOf<'syncs.show'>;

interface SyncOptions extends PageOptions {
  readonly tenant?: string;
  readonly connector?: string;
  readonly status?: string;
  readonly asSupport?: boolean;
  readonly json?: boolean;
}

const columns: readonly Column<Sync>[] = [
  { title: 'job', value: (sync) => sync.job_id },
  { title: 'status', value: (sync) => sync.status },
  { title: 'retries', value: (sync) => String(sync.retry_count), right: true },
  { title: 'made', value: (sync) => relativeTime(new Date(sync.created_at)) },
  { title: 'error', value: (sync) => sync.error_code ?? '' },
];

const stuckColumns: readonly Column<StuckJob>[] = [
  { title: 'job', value: (job) => job.job_id },
  { title: 'tenant', value: (job) => job.tenant_id },
  { title: 'connector', value: (job) => job.connector_id },
  { title: 'started', value: (job) => relativeTime(job.started_at) },
  { title: 'worker', value: (job) => (job.is_stale ? 'silent' : 'alive') },
];

export function addSyncCommands(program: Command): void {
  const syncs = program
    .command('syncs')
    .summary('trigger, list, show and cancel syncs')
    .description('A sync is one run of an Airbyte connection. One at a time per connector.')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace syncs trigger 01a1e155-…\n  millrace syncs list --status failed,dead_letter',
    );
  addTenantCommands(syncs);
  addSupportCommands(syncs);
  addSyncActions(syncs);
}

function addTenantCommands(syncs: Command): void {
  syncs
    .command('trigger')
    .description(
      'Syncs a connector now, if the plan allows it yet. If a sync of it is already running, prints that one instead.',
    )
    .argument('<connector>', 'id of the connector, see "millrace connectors list"')
    .addOption(tenantOption())
    .option('--as-support', 'ignore the minimum interval of the plan')
    .action(async (connector: string, _: SyncOptions, command: Command) => {
      const { tenant, asSupport, json } = command.optsWithGlobals<SyncOptions>();
      const body = { connector_id: connector };
      const role = asSupport ? ('support' as const) : ('admin' as const);
      const answer = await withConnection({ tenant, role }, ({ call }) => call('syncs.trigger', { body }));
      if (json) sayJson(answer);
      else
        say(
          answer.created
            ? `Sync ${answer.sync.job_id} is queued.`
            : `Sync ${answer.sync.job_id} is ${answer.sync.status} already.`,
        );
    });

  inPages(syncs.command('list'), 30)
    .description('Lists syncs, newest first.')
    .option('--connector <id>', 'only of this connector')
    .option('--status <words>', 'queued, running, failed, dead_letter, cancelled, success (several: a,b)')
    .addOption(tenantOption())
    .action(async (_: SyncOptions, command: Command) => {
      const { tenant, connector, status, json, ...place } = command.optsWithGlobals<SyncOptions>();
      const query = {
        ...pageQuery(place),
        ...(connector === undefined ? {} : { connector_id: connector }),
        ...(status === undefined ? {} : { status }),
      };
      const page = await withConnection({ tenant }, ({ call }) => call('syncs.list', { query }));
      sayPage(page, { json, none: 'No syncs match.', format: (rows) => formatTable(columns, rows) });
    });

  syncs
    .command('figures')
    .description('Prints figures of the syncs of the last day, for monitoring.')
    .addOption(tenantOption())
    .action(async (_: SyncOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<SyncOptions>();
      const figures = await withConnection({ tenant }, ({ call }) => call('syncs.figures'));
      if (json) sayJson(figures);
      else printFigures(figures);
    });
}

function addSupportCommands(syncs: Command): void {
  syncs
    .command('stuck')
    .summary('syncs of every tenant that have run for more than two hours')
    .description('For the operator and support: syncs of every tenant that have been running for more than two hours.')
    .action(async (_: SyncOptions, command: Command) => {
      const jobs = await withToolbox(({ engine }) => asSyncsSupport(engine.pools.effects, listStuckJobs));
      if (command.optsWithGlobals<SyncOptions>().json) sayJson(jobs);
      else say(jobs.length === 0 ? 'No sync has run for more than two hours.' : formatTable(stuckColumns, jobs));
    });

  syncs
    .command('dead-letters')
    .summary('dead letters of every tenant by error')
    .description(
      'For the operator and support: how many syncs of every tenant ended as dead letters, by error, most first.',
    )
    .action(async (_: SyncOptions, command: Command) => {
      const counts = await withToolbox(({ engine }) => asSyncsSupport(engine.pools.effects, countDeadLettersByError));
      if (command.optsWithGlobals<SyncOptions>().json) sayJson(counts);
      else
        say(
          counts.length === 0
            ? 'No sync has ended as a dead letter.'
            : formatFacts(counts.map(({ error_code: code, count }) => [code ?? 'unknown', String(count)])),
        );
    });
}

function addSyncActions(syncs: Command): void {
  syncs
    .command('show')
    .description('Shows a sync.')
    .argument('<job>', 'id of the sync, see "millrace syncs list"')
    .action(async (job: string, _: SyncOptions, command: Command) => {
      const params = { job_id: job };
      const sync = await withConnection({ run: job }, ({ call }) => call('syncs.show', { params }));
      print(sync, command.optsWithGlobals<SyncOptions>().json);
    });

  syncs
    .command('cancel')
    .description('Cancels a sync, here and at Airbyte.')
    .argument('<job>', 'id of the sync, see "millrace syncs list"')
    .action(async (job: string, _: SyncOptions, command: Command) => {
      const params = { job_id: job };
      const sync = await withConnection({ run: job }, ({ call }) => call('syncs.cancel', { params }));
      print(sync, command.optsWithGlobals<SyncOptions>().json);
    });
}

/** What the catalogue advises, where it needs no detail of the case. */
function adviceFor(code: string | null): string | undefined {
  const next = code !== null && isErrorCode(code) ? entryOf(code).next : undefined;
  return next?.includes('{') ? undefined : next;
}

function printFigures(figures: AnswerOf<'syncs.figures'>): void {
  const { average_duration_seconds: average } = figures;
  const several = (lines: readonly string[]) => (lines.length === 0 ? 'none' : lines.join(', '));
  say(
    formatFacts([
      ['queued in the last minute', String(figures.queued_last_minute)],
      ['average duration', average === null ? 'no sync has succeeded' : `${Math.round(average)} s`],
      ['dead letters', String(figures.dead_letters)],
      [
        'retry rate',
        figures.retry_rate === null ? 'nothing has run' : `${Math.round(figures.retry_rate * 1_000) / 10} %`,
      ],
      ['retries by error', several(figures.retries_by_error.map((each) => `${each.error_code} ${each.count}`))],
      [
        'success by connector',
        several(
          figures.success_rate_by_connector.map(
            ({ connector_id: id, succeeded, dead }) => `${id} ${succeeded} of ${succeeded + dead}`,
          ),
        ),
      ],
    ]),
  );
}

function print(sync: Sync, asJson = false): void {
  if (asJson) {
    sayJson(sync);
    return;
  }
  const next = sync.next_retry_at;
  say(
    formatFacts([
      ['job', sync.job_id],
      ['status', sync.status],
      ['connector', sync.connector_id],
      ['Airbyte job', sync.run_id ?? undefined],
      ['retries', `${sync.retry_count} of 5`],
      ['next try', next === null ? undefined : relativeTime(new Date(next))],
      ['error', sync.error_code === null ? undefined : `${sync.error_code}: ${sync.error_message ?? ''}`],
      ['what to do', adviceFor(sync.error_code)],
    ]),
  );
}
