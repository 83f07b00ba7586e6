// Sources: what is connected, what was found there, and a sync now.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { withConnection } from '../../../cli/connection.ts';
import { type Column, formatFacts, formatTable, say, sayJson } from '../../../cli/output.ts';
import { relativeTime } from '../../../cli/times.ts';
import type { AnswerOf, CallArgs } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';

type Source = AnswerOf<'sources.show'>;
type SourceObject = AnswerOf<'sources.objects'>['data'][number];

interface SourceOptions {
  readonly tenant?: string;
  readonly file?: string;
  readonly limit: string;
  readonly status?: string;
  readonly objects?: 'keep' | 'deactivate';
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
  { title: 'reason', value: (each) => each.error_code ?? '' },
];

const ofTenant = (command: Command) =>
  command.option('--tenant <tenant>', 'name or id; not needed when there is only one');

export function addSourceCommands(program: Command): void {
  const sources = program
    .command('sources')
    .summary('connect buckets, servers and folders, and sync them')
    .description('Millrace syncs a source on a schedule; each new or changed object becomes a run of its pipeline.')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace sources test --file contracts.json\n  millrace sources add --file contracts.json\n' +
        '  millrace sources sync 0b7e…\n  millrace sources objects 0b7e… --status refused\n\n' +
        'contracts.json: {"name": "Contracts", "pipeline": "documents", "place": {"kind": "s3", "bucket": "contracts"},\n' +
        '  "credential": {"access_key_id": "…", "secret_access_key": "…"}, "include": ["**/*.pdf"], "cron": "0 * * * *"}',
    );
  addSettingCommands(sources);
  addSyncCommands(sources);
  addPauseCommands(sources);
}

function addSettingCommands(sources: Command): void {
  ofTenant(sources.command('list'))
    .description('Lists the sources with their freshness.')
    .option('--limit <count>', 'how many', '100')
    .action(async (_: SourceOptions, command: Command) => {
      const { tenant, limit, json } = command.optsWithGlobals<SourceOptions>();
      const page = await withConnection({ tenant }, ({ call }) => call('sources.list', { query: { limit } }));
      if (json) sayJson(page.data);
      else say(page.data.length === 0 ? 'There are no sources yet.' : formatTable(columns, page.data));
    });

  ofTenant(sources.command('show'))
    .description('Shows a source.')
    .argument('<source>', 'id, see "millrace sources list"')
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<SourceOptions>();
      print(
        await withConnection({ tenant }, ({ call }) => call('sources.show', { params: { source_id: source } })),
        json,
      );
    });

  ofTenant(sources.command('add'))
    .description('Connects a source. Its settings come from a file, because command lines are seen by others.')
    .requiredOption('--file <file>', 'JSON as POST /v1/sources takes it; "-" reads standard input')
    .action(async (_: SourceOptions, command: Command) => {
      const { tenant, file = '-', json } = command.optsWithGlobals<SourceOptions>();
      const body = (await readSettings(file)) as CallArgs<'sources.create'>['body'];
      print(await withConnection({ tenant }, ({ call }) => call('sources.create', { body })), json);
    });

  ofTenant(sources.command('test'))
    .description('Reaches a place and shows its first objects and what each would become. Nothing is saved.')
    .requiredOption('--file <file>', 'JSON as POST /v1/sources takes it; "-" reads standard input')
    .action(async (_: SourceOptions, command: Command) => {
      const { tenant, file = '-', json } = command.optsWithGlobals<SourceOptions>();
      const body = (await readSettings(file)) as CallArgs<'sources.preview'>['body'];
      const found = await withConnection({ tenant }, ({ call }) => call('sources.preview', { body }));
      if (json) {
        sayJson(found);
        return;
      }
      say(`${found.address} can be reached${found.host_key === null ? '' : `; its host key is ${found.host_key}`}.`);
      for (const { key, becomes, reason } of found.objects)
        say(`${becomes.padEnd(9)} ${key}${reason === null ? '' : ` (${reason})`}`);
      if (found.more) say('… and more.');
    });
}

function addSyncCommands(sources: Command): void {
  ofTenant(sources.command('sync'))
    .description('Syncs a source now.')
    .argument('<source>', 'id, see "millrace sources list"')
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, json } = command.optsWithGlobals<SourceOptions>();
      const params = { source_id: source };
      const started = await withConnection({ tenant }, ({ call }) => call('sources.sync', { params }));
      if (json) sayJson(started);
      else
        say(
          `${started.created ? 'Started' : 'At work already'}: ${started.run_id}\nFollow it: millrace runs show ${started.run_id}`,
        );
    });

  ofTenant(sources.command('objects'))
    .description('Lists the objects of a source with their fates.')
    .argument('<source>', 'id, see "millrace sources list"')
    .option('--status <status>', 'live, refused, failed, settling, deleted or kept')
    .option('--limit <count>', 'how many', '100')
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, limit, status, json } = command.optsWithGlobals<SourceOptions>();
      const query = { limit, ...(status === undefined ? {} : { status: status as never }) };
      const params = { source_id: source };
      const page = await withConnection({ tenant }, ({ call }) => call('sources.objects', { params, query }));
      if (json) sayJson(page.data);
      else say(page.data.length === 0 ? 'No objects.' : formatTable(objectColumns, page.data));
    });
}

function addPauseCommands(sources: Command): void {
  for (const paused of [true, false]) {
    ofTenant(sources.command(paused ? 'pause' : 'resume'))
      .description(paused ? 'Pauses a source.' : 'Resumes a paused source.')
      .argument('<source>', 'id, see "millrace sources list"')
      .action(async (source: string, _: SourceOptions, command: Command) => {
        const { tenant, json } = command.optsWithGlobals<SourceOptions>();
        const params = { source_id: source };
        print(
          await withConnection({ tenant }, ({ call }) => call('sources.update', { params, body: { paused } })),
          json,
        );
      });
  }

  ofTenant(sources.command('remove'))
    .description('Removes a source. What it brought stays or is deactivated, as you say.')
    .argument('<source>', 'id, see "millrace sources list"')
    .option('--objects <what>', 'keep or deactivate what it brought')
    .action(async (source: string, _: SourceOptions, command: Command) => {
      const { tenant, objects, json } = command.optsWithGlobals<SourceOptions>();
      const query = objects === undefined ? {} : { objects };
      await withConnection({ tenant }, ({ call }) => call('sources.remove', { params: { source_id: source }, query }));
      if (json) sayJson({ removed: source });
      else say(`${source} is removed.`);
    });
}

async function readSettings(file: string): Promise<unknown> {
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new MillraceError('source_settings_invalid', {
      faults: `${file} cannot be read (${error.code ?? error.name})`,
    });
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MillraceError('source_settings_invalid', { faults: `${file} is no JSON: ${(error as Error).message}` });
  }
}

function print(source: Source, asJson = false): void {
  if (asJson) {
    sayJson(source);
    return;
  }
  const { objects } = source;
  say(
    formatFacts([
      ['source', `${source.name} (${source.source_id})`],
      ['place', source.address],
      ['feeds', source.pipeline],
      ['freshness', source.freshness],
      [
        'objects',
        `${objects.live} taken, ${objects.refused} refused, ${objects.failed} failed, ${objects.deleted} vanished`,
      ],
      ['schedule', source.cron === null ? 'only when asked' : `${source.cron} (${source.time_zone})`],
      ['next', source.next_sync_at === null ? '' : relativeTime(source.next_sync_at)],
      ['last failure', source.last_error_code ?? ''],
      [
        'queue',
        source.queue_failing_since === null
          ? ''
          : `not heard since ${relativeTime(source.queue_failing_since)} (${source.queue_error_code}); objects come with the next sync`,
      ],
    ]),
  );
}
