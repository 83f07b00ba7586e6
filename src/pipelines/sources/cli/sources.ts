// Sources: what is connected, what was found there, and a sync now.

import type { Command } from 'commander';
import { withConnection } from '../../../cli/connection.ts';
import { type Column, formatFacts, formatTable, say, sayJson } from '../../../cli/output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../../../cli/pages.ts';
import { readJson } from '../../../cli/read-json.ts';
import { exitCodeOfRun } from '../../../cli/runs/tail-run.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';
import { relativeTime } from '../../../cli/times.ts';
import type { AnswerOf, CallArgs } from '../../../contract/api/client.ts';
import { idOfSource, type Source } from './find-source.ts';
import { describeEnd, watchSync } from './watch-sync.ts';

type SourceObject = AnswerOf<'sources.objects'>['data'][number];

interface SourceOptions extends PageOptions {
  readonly tenant?: string;
  readonly file?: string;
  readonly status?: string;
  readonly objects?: 'keep' | 'deactivate';
  readonly watch?: boolean;
  readonly json?: boolean;
}

const columns: readonly Column<Source>[] = [
  { title: 'source', value: (each) => each.name },
  { title: 'place', value: (each) => each.address },
  { title: 'feeds', value: (each) => each.pipeline },
  { title: 'freshness', value: (each) => each.freshness },
  { title: 'objects', value: (each) => String(each.objects.live) },
  { title: 'refused', value: (each) => String(each.objects.refused + each.objects.failed) },
  { title: 'listed', value: (each) => (each.listed_at === null ? 'never' : relativeTime(each.listed_at)) },
  { title: 'id', value: (each) => each.source_id },
];

const objectColumns: readonly Column<SourceObject>[] = [
  { title: 'object', value: (each) => each.key },
  { title: 'fate', value: (each) => each.status },
  { title: 'bytes', value: (each) => String(each.bytes) },
  { title: 'run', value: (each) => each.run_id ?? '' },
  {
    title: 'reason',
    value: (each) => each.error_code ?? (each.unseen_because === null ? '' : `not seen: ${each.unseen_because}`),
  },
];

const ID = 'name or id, see "millrace sources list"';

const ofTenant = (command: Command) => command.addOption(tenantOption());

export function addSourceCommands(program: Command): void {
  const sources = program
    .command('sources')
    .summary('connect buckets, servers and folders, and sync them')
    .description('Millrace syncs a source on a schedule; each new or changed object becomes a run of its pipeline.')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace sources test --file contracts.json\n  millrace sources add --file contracts.json\n' +
        '  millrace sources sync Contracts --watch\n  millrace sources objects Contracts --status refused\n\n' +
        'contracts.json: {"name": "Contracts", "pipeline": "documents", "place": {"kind": "s3", "bucket": "contracts"},\n' +
        '  "credential": {"access_key_id": "…", "secret_access_key": "…"}, "include": ["**/*.pdf"], "cron": "0 * * * *"}',
    );
  addSettingCommands(sources);
  addSyncCommands(sources);
  addPauseCommands(sources);
}

function addSettingCommands(sources: Command): void {
  inPages(ofTenant(sources.command('list')), 100)
    .description('Lists the sources with their freshness.')
    .action(async (_: SourceOptions, command: Command) => {
      const { tenant, json, ...place } = command.optsWithGlobals<SourceOptions>();
      const query = pageQuery(place);
      const page = await withConnection({ tenant }, ({ call }) => call('sources.list', { query }));
      sayPage(page, { json, none: 'There are no sources yet.', format: (rows) => formatTable(columns, rows) });
    });

  ofTenant(sources.command('show'))
    .description('Shows a source.')
    .argument('<source>', ID)
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<SourceOptions>();
      const [shown, reason, next] = await withConnection({ tenant }, async ({ call }) => {
        const found = await call('sources.show', { params: { source_id: await idOfSource(call, source) } });
        const [newest] = found.syncs;
        const isFailing = newest !== undefined && newest.error_code !== null;
        const run = isFailing ? await call('runs.show', { params: { run_id: newest.sync_id } }) : undefined;
        return [found, run?.error?.message, run?.error?.next] as const;
      });
      print(shown, json, reason, next ?? undefined);
    });

  ofTenant(sources.command('add'))
    .description('Connects a source. Its settings come from a file, because others can see command lines.')
    .requiredOption('--file <file>', 'JSON as POST /v1/sources takes it; "-" reads standard input')
    .action(async (_: SourceOptions, command: Command) => {
      const { tenant, file = '-', json } = command.optsWithGlobals<SourceOptions>();
      const body = (await readJson(file)) as CallArgs<'sources.create'>['body'];
      print(await withConnection({ tenant }, ({ call }) => call('sources.create', { body })), json);
    });

  ofTenant(sources.command('test'))
    .description('Connects to a place and shows its first objects and what each would become. It saves nothing.')
    .requiredOption('--file <file>', 'JSON as POST /v1/sources takes it; "-" reads standard input')
    .action(async (_: SourceOptions, command: Command) => {
      const { tenant, file = '-', json } = command.optsWithGlobals<SourceOptions>();
      const body = (await readJson(file)) as CallArgs<'sources.preview'>['body'];
      const found = await withConnection({ tenant }, ({ call }) => call('sources.preview', { body }));
      if (json) {
        sayJson(found);
        return;
      }
      say(`${found.address} can be reached${found.host_key === null ? '' : `; its host key is ${found.host_key}`}.`);
      for (const { key, becomes, title, reason } of found.objects) {
        const as = becomes === 'taken' && title !== null ? `   as "${title}"` : '';
        say(`${becomes.padEnd(9)} ${key}${as}${reason === null ? '' : ` (${reason})`}`);
      }
      if (found.more) say('… and more.');
      if (found.objects.length === 0) say('No object there has this prefix and matches the patterns.');
    });
}

function addSyncCommands(sources: Command): void {
  ofTenant(sources.command('sync'))
    .description('Syncs a source now.')
    .argument('<source>', ID)
    .option('--watch', 'follow it to its end; exit code 0 synced, 2 in part or it asks, 1 failed')
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, json = false, watch = false } = command.optsWithGlobals<SourceOptions>();
      await withConnection({ tenant }, async ({ call }) => {
        const sourceId = await idOfSource(call, source);
        const started = await call('sources.sync', { params: { source_id: sourceId } });
        if (!watch) {
          if (json) sayJson(started);
          else
            say(
              `${started.created ? 'Started' : 'At work already'}: ${started.run_id}\nFollow it: millrace runs show ${started.run_id}`,
            );
          return;
        }
        const run = await watchSync(call, sourceId, started.run_id, json);
        if (json) sayJson(run);
        else say(describeEnd(run));
        process.exitCode = exitCodeOfRun(run);
      });
    });

  inPages(ofTenant(sources.command('objects')), 100)
    .description('Lists the objects of a source and what became of each.')
    .argument('<source>', ID)
    .option('--status <status>', 'live, refused, failed, settling, deleted or kept')
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, status, json, ...place } = command.optsWithGlobals<SourceOptions>();
      const query = { ...pageQuery(place), ...(status === undefined ? {} : { status: status as never }) };
      const page = await withConnection({ tenant }, async ({ call }) =>
        call('sources.objects', { params: { source_id: await idOfSource(call, source) }, query }),
      );
      sayPage(page, { json, none: 'No objects.', format: (rows) => formatTable(objectColumns, rows) });
    });
}

function addPauseCommands(sources: Command): void {
  for (const paused of [true, false]) {
    ofTenant(sources.command(paused ? 'pause' : 'resume'))
      .description(paused ? 'Pauses a source.' : 'Resumes a paused source.')
      .argument('<source>', ID)
      .action(async (source: string, _: SourceOptions, command: Command) => {
        const { tenant, json } = command.optsWithGlobals<SourceOptions>();
        const changed = await withConnection({ tenant }, async ({ call }) =>
          call('sources.update', { params: { source_id: await idOfSource(call, source) }, body: { paused } }),
        );
        print(changed, json);
      });
  }

  ofTenant(sources.command('change'))
    .description(
      'Changes settings of a source, such as its credential. Settings that the file does not name stay as they are.',
    )
    .argument('<source>', ID)
    .requiredOption('--file <file>', 'JSON as PATCH /v1/sources/:source_id takes it; "-" reads standard input')
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, file = '-', json } = command.optsWithGlobals<SourceOptions>();
      const body = (await readJson(file)) as CallArgs<'sources.update'>['body'];
      const changed = await withConnection({ tenant }, async ({ call }) =>
        call('sources.update', { params: { source_id: await idOfSource(call, source) }, body }),
      );
      print(changed, json);
    });

  ofTenant(sources.command('remove'))
    .description('Removes a source. What it brought stays or is deactivated, as you say.')
    .argument('<source>', ID)
    .option('--objects <what>', 'keep or deactivate what it brought')
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, objects, json } = command.optsWithGlobals<SourceOptions>();
      const query = objects === undefined ? {} : { objects };
      await withConnection({ tenant }, async ({ call }) =>
        call('sources.remove', { params: { source_id: await idOfSource(call, source) }, query }),
      );
      if (json) sayJson({ removed: source });
      else say(`${source} is removed.`);
    });
}

function print(source: Source, asJson = false, failure?: string, advice?: string): void {
  if (asJson) {
    sayJson(source);
    return;
  }
  const { objects } = source;
  say(
    formatFacts([
      ['source', `${source.name} (${source.source_id})`],
      ['place', source.address],
      ['host key', typeof source.place.host_key === 'string' ? `${source.place.host_key} (pinned)` : undefined],
      ['feeds', source.pipeline],
      ['freshness', source.freshness],
      [
        'objects',
        [
          `${objects.live} taken, ${objects.refused} refused, ${objects.failed} failed, ${objects.deleted} vanished`,
          ...(objects.kept > 0 ? [`${objects.kept} gone and kept`] : []),
          ...(objects.settling > 0 ? [`${objects.settling} may be growing`] : []),
        ].join(', '),
      ],
      ['schedule', source.cron === null ? 'only when asked' : `${source.cron} (${source.time_zone})`],
      ['next', source.next_sync_at === null ? undefined : relativeTime(source.next_sync_at)],
      ['not listed', describeUnlisted(source)],
      ['last failure', describeFailure(source, failure)],
      ['what to do', advice],
      [
        'queue',
        source.queue_failing_since === null
          ? undefined
          : `not heard since ${relativeTime(source.queue_failing_since)} (${source.queue_error_code}); objects come with the next sync`,
      ],
    ]),
  );
}

/** The sync went on without them, so that it is no failure. */
function describeUnlisted({ name, last_error_code: code, syncs }: Source): string | undefined {
  const [newest] = syncs;
  if (code !== 'source_directory_shut' || newest === undefined) return undefined;
  const number = newest.counts?.unlisted ?? 0;
  const which = number === 0 ? 'Directories' : number === 1 ? 'A directory' : `${number} directories`;
  return `${which} may not be listed, so nothing counts as vanished; "millrace sources objects ${JSON.stringify(name)}" says which objects were not seen`;
}

function describeFailure({ last_error_code: code }: Source, failure: string | undefined): string | undefined {
  if (code === null || code === 'source_directory_shut') return failure;
  return failure === undefined ? code : `${failure} (${code})`;
}
