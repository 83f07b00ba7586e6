// Uploading a file from the command line, and following it to its receipt.
import type { Command } from 'commander';
import type { Client } from '../../contract/api/client.ts';
import { withConnection } from '../connection.ts';
import { addWayOptions, formOf } from '../ingest/ingest-form.ts';
import type { IngestWay, IngestWays, Submitted } from '../ingest/ingest-way.ts';
import { watchIngest } from '../ingest/watch-ingest.ts';
import { paint, plural, say, sayJson } from '../output.ts';
import type { RunDetail } from '../runs/print-run.ts';
import { exitCodeOfRun } from '../runs/tail-run.ts';
import { tenantOption } from '../tenant-option.ts';
import { workIfNobodyDoes } from '../work-here.ts';

interface IngestOptions {
  readonly pipeline?: string;
  readonly tenant?: string;
  readonly corrects?: string;
  readonly field: readonly string[];
  readonly watch?: boolean;
  readonly json?: boolean;
}

export function addIngestCommand(program: Command, ways: IngestWays): void {
  const { byPipeline, byDefault } = ways;
  const examples = Object.values(byPipeline).flatMap((way) => way.examples ?? []);
  const command = program
    .command('ingest')
    .summary('upload a file and follow it to its receipt')
    .description(
      'Uploads a file. With --watch the command follows it to its receipt. Exit code: 0 Millrace stored all of it, 2 a part of it, 1 nothing. ' +
        'Without MILLRACE_URL the file goes to the installation on this machine; if no worker runs there, this command does the work.',
    )
    .argument('<file>', 'CSV, TSV, JSON, NDJSON or XLSX')
    .option('--pipeline <name>', `which pipeline takes it; default: ${byDefault}`)
    .addOption(tenantOption())
    .option('--corrects <run>', 'the file has corrected rejects of that run; they count as replayed')
    .option(
      '--field <name=value>',
      'a form field that has no option here, such as one of a pipeline of your own; may be repeated',
      (field: string, before: readonly string[]) => [...before, field],
      [],
    )
    .option('--watch', 'follow it to its receipt');
  addWayOptions(command, ways);
  command
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`)
    .action((file: string, _: IngestOptions, self: Command) => ingest(file, self, ways));
}

async function ingest(file: string, command: Command, ways: IngestWays): Promise<void> {
  const options = command.optsWithGlobals<IngestOptions>();
  const { pipeline = ways.byDefault, corrects, field: fields } = options;
  const form = await formOf({ file, pipeline, corrects, fields, given: command.opts() }, ways);
  const way = ways.byPipeline[pipeline] ?? {};
  await withConnection({ ...options, makesFirstTenant: true }, async (connection) => {
    const { call, consoleUrl } = connection;
    const mustWork = await workIfNobodyDoes(connection, pipeline);
    const submitted = await (way.submit ?? upload)(call, form);
    if (submitted.sameBytesAs !== undefined && !submitted.isOver && !options.json)
      say(paint('dim', `  these very bytes were uploaded before: ${submitted.sameBytesAs}`));
    if (submitted.isOver || (!options.watch && !mustWork)) {
      if (options.json) sayJson(submitted.answer);
      else say(submitted.line ?? whereItIs(submitted, consoleUrl));
      return;
    }
    await follow(call, submitted.runId, way, { consoleUrl, asJson: options.json ?? false });
  });
}

async function follow(
  call: Client,
  runId: string,
  { gate }: IngestWay,
  { consoleUrl, asJson }: { readonly consoleUrl: string; readonly asJson: boolean },
): Promise<void> {
  const run = await watchIngest(call, runId, { isQuiet: asJson, gate });
  if (asJson) sayJson(run);
  else say(closingLine(run, consoleUrl));
  process.exitCode = exitCodeOfRun(run);
}

async function upload(call: Client, form: FormData): Promise<Submitted> {
  const { upload_id: runId, same_bytes_as: twin } = await call('uploads.create', { body: form });
  return { runId, answer: { run_id: runId, same_bytes_as: twin ?? null }, sameBytesAs: twin };
}

function whereItIs({ runId, called }: Submitted, consoleUrl: string): string {
  return `→ ${consoleUrl}/r/${runId}   ${called === undefined ? '' : `${called}, `}follow it: millrace tail ${runId}`;
}

function closingLine(run: RunDetail, consoleUrl: string): string {
  const { total } = run.rejects;
  const rejects = total === 0 ? '' : `   ${plural(total, 'rejected row')}: millrace rejects ${run.run_id} --csv`;
  return `→ ${consoleUrl}/r/${run.run_id}${rejects}`;
}
