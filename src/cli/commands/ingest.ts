// Handing in a file from the command line, and following it to its receipt.
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { AnswerOf } from '../../contract/api/client.ts';
import { Platform } from '../../contract/api/uploads.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { withConnection } from '../connection.ts';
import { watchIngest } from '../ingest/watch-ingest.ts';
import { paint, plural, say, sayJson } from '../output.ts';
import type { RunDetail } from '../runs/print-run.ts';
import { exitCodeOfRun } from '../runs/tail-run.ts';
import { workIfNobodyDoes } from '../work-here.ts';

interface IngestOptions {
  readonly platform?: string;
  readonly pipeline: string;
  readonly client?: string;
  readonly tenant?: string;
  readonly reportedAt?: string;
  readonly forcePartial?: boolean;
  readonly corrects?: string;
  readonly reading?: string;
  readonly batch?: string;
  readonly vendor?: string;
  readonly supersede?: boolean;
  readonly policy?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export function addIngestCommand(program: Command): void {
  program
    .command('ingest')
    .summary('hand in a file and follow it to its receipt')
    .description(
      'Hands in a file. With --watch it is followed to its receipt; exit code 0 all of it, 2 a part of it, 1 nothing. ' +
        'Without MILLRACE_URL the file goes to the installation of this machine; when no worker runs there, this command does the work.',
    )
    .argument('<file>', 'CSV, TSV, JSON, NDJSON or XLSX')
    .option('--platform <name>', `where an export of ads comes from: ${Platform.options.join(', ')}`)
    .option('--pipeline <name>', 'which pipeline takes it', 'ads')
    .option('--client <id>', 'the client it belongs to')
    .option('--tenant <tenant>', 'name or id; not needed when there is only one')
    .option('--reported-at <time>', 'when the numbers were reported; default: when the file was last changed')
    .option('--force-partial', 'store the valid rows even when too many were refused')
    .option('--reading <json>', 'how to read it where detection is wrong, e.g. {"encoding":"big5","date_order":"dmy"}')
    .option('--corrects <run>', 'the file holds rejects of that run, mended: they are taken as replayed')
    .option('--batch <id>', 'judgments: the id of the batch; default: made from vendor and file name')
    .option('--vendor <name>', 'judgments: who sent the file')
    .option('--supersede', 'judgments: the file replaces an earlier one of the same batch')
    .option('--policy <list>', 'judgments: what an empty cell does, as column=keep|overwrite|clear,…')
    .option('--watch', 'follow it to its receipt')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace ingest meta_june.csv --platform meta --watch\n' +
        '  millrace ingest simplicity.csv --pipeline judgments --batch simplicity-2026-01-07 --watch\n' +
        '  millrace rejects RUN --csv > rejects.csv, and corrected: millrace ingest rejects.csv --pipeline judgments --corrects RUN\n' +
        '  MILLRACE_URL=https://millrace.example MILLRACE_TOKEN=… millrace ingest june.xlsx --platform google --json',
    )
    .action((file: string, _: IngestOptions, command: Command) =>
      ingest(file, command.optsWithGlobals<IngestOptions>()),
    );
}

async function ingest(file: string, options: IngestOptions): Promise<void> {
  if (options.pipeline === 'judgments') return ingestBatch(file, options);
  const form = await formOf(file, options);
  await withConnection({ ...options, makesFirstTenant: true }, async (connection) => {
    const { call, consoleUrl } = connection;
    const mustWork = await workIfNobodyDoes(connection, options.pipeline);
    const { upload_id: runId, same_bytes_as: twin } = await call('uploads.create', { body: form });
    if (!options.watch && !mustWork) {
      if (options.json) sayJson({ run_id: runId, same_bytes_as: twin ?? null });
      else say(`→ ${consoleUrl}/r/${runId}   follow it: millrace tail ${runId}`);
      return;
    }
    if (twin !== undefined && !options.json) say(paint('dim', `  these very bytes were handed in before: ${twin}`));
    const run = await watchIngest(call, runId, options.json ?? false);
    if (options.json) sayJson(run);
    else say(closingLine(run, consoleUrl));
    process.exitCode = exitCodeOfRun(run);
  });
}

/** A batch of judgments: once per id. What was handed in before is said, and no error. */
async function ingestBatch(file: string, options: IngestOptions): Promise<void> {
  const form = await batchForm(file, options);
  await withConnection({ ...options, makesFirstTenant: true }, async (connection) => {
    const { call, consoleUrl } = connection;
    const mustWork = await workIfNobodyDoes(connection, options.pipeline);
    const batch = await call('batches.create', { body: form });
    if (batch.outcome === 'skipped' || (!options.watch && !mustWork)) {
      if (options.json) sayJson(batch);
      else say(describeBatch(batch, consoleUrl));
      return;
    }
    if (batch.same_bytes_as !== undefined && !options.json)
      say(paint('dim', `  these very bytes were handed in before: ${batch.same_bytes_as.source_batch_id}`));
    const run = await watchIngest(call, batch.run_id, options.json ?? false);
    if (options.json) sayJson(run);
    else say(closingLine(run, consoleUrl));
    process.exitCode = exitCodeOfRun(run);
  });
}

function describeBatch(batch: AnswerOf<'batches.create'>, consoleUrl: string): string {
  const { source_batch_id: id, run_id: run } = batch;
  if (batch.outcome === 'skipped') return `Skipping duplicate ${id} (${batch.reason}): run ${run}`;
  return `→ ${consoleUrl}/r/${run}   batch ${id}, follow it: millrace tail ${run}`;
}

async function formOf(file: string, options: IngestOptions): Promise<FormData> {
  const unreadable = (error: NodeJS.ErrnoException) => {
    throw new MillraceError('input_file_missing', { file, reason: error.code ?? error.message }, { cause: error });
  };
  const changedAt = (await stat(file).catch(unreadable)).mtime;
  const form = new FormData();
  form.set('pipeline', options.pipeline);
  form.set('source', 'api');
  form.set('reported_at', options.reportedAt ?? changedAt.toISOString());
  if (options.platform !== undefined) form.set('platform', options.platform);
  if (options.client !== undefined) form.set('client_id', options.client);
  if (options.forcePartial) form.set('force_partial', 'true');
  if (options.corrects !== undefined) form.set('retry_of', options.corrects);
  if (options.reading !== undefined) form.set('reading', options.reading);
  // Last, so that the server knows the fields while the bytes arrive.
  form.set('file', await openAsBlob(file).catch(unreadable), path.basename(file));
  return form;
}

async function batchForm(
  file: string,
  options: Pick<IngestOptions, 'batch' | 'vendor' | 'supersede' | 'policy' | 'corrects'>,
): Promise<FormData> {
  const form = new FormData();
  if (options.batch !== undefined) form.set('source_batch_id', options.batch);
  if (options.vendor !== undefined) form.set('vendor', options.vendor);
  if (options.supersede) form.set('supersede', 'true');
  if (options.policy !== undefined) form.set('policy', options.policy);
  if (options.corrects !== undefined) form.set('retry_of', options.corrects);
  const bytes = await openAsBlob(file).catch((error: NodeJS.ErrnoException) => {
    throw new MillraceError('input_file_missing', { file, reason: error.code ?? error.message }, { cause: error });
  });
  form.set('file', bytes, path.basename(file));
  return form;
}

function closingLine(run: RunDetail, consoleUrl: string): string {
  const { total } = run.rejects;
  const rejects = total === 0 ? '' : `   ${plural(total, 'rejected row')}: millrace rejects ${run.run_id} --csv`;
  return `→ ${consoleUrl}/r/${run.run_id}${rejects}`;
}
