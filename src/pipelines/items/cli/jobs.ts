// Items on the command line: start a job, look at it and its items, kick it off, pause it, reprocess, export.
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { type Connection, withConnection } from '../../../cli/connection.ts';
import { watchIngest } from '../../../cli/ingest/watch-ingest.ts';
import { openFile } from '../../../cli/open-file.ts';
import { type Column, formatFacts, formatTable, say, sayJson } from '../../../cli/output.ts';
import { inPages, type PageOptions, sayPage } from '../../../cli/pages.ts';
import { exitCodeOfRun } from '../../../cli/runs/tail-run.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';
import { relativeTime } from '../../../cli/times.ts';
import { workIfNobodyDoes } from '../../../cli/work-here.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';

type Listed = AnswerOf<'jobs.list'>['data'][number];
type Item = AnswerOf<'jobs.items'>['data'][number];

interface JobOptions extends PageOptions {
  readonly tenant?: string;
  readonly processor?: string;
  readonly options?: string;
  readonly catalog?: string;
  readonly watch?: boolean;
  readonly status?: string;
  readonly text?: string;
  readonly items?: string;
  readonly format?: 'csv' | 'xlsx';
  readonly output?: string;
  readonly duration: string;
  readonly json?: boolean;
}

const jobColumns: readonly Column<Listed>[] = [
  { title: 'job', value: (each) => each.jobId },
  { title: 'file', value: (each) => each.file_name.slice(0, 40) },
  { title: 'processor', value: (each) => each.processor },
  { title: 'state', value: (each) => each.queue_state },
  { title: 'items', value: (each) => String(each.total_items), right: true },
  { title: 'done', value: (each) => String(each.done_items), right: true },
  { title: 'not found', value: (each) => String(each.not_found_items), right: true },
  { title: 'error', value: (each) => String(each.error_items), right: true },
  { title: 'submitted', value: (each) => relativeTime(new Date(each.created_at)) },
];

const itemColumns: readonly Column<Item>[] = [
  { title: 'item', value: (each) => each.id },
  { title: 'row', value: (each) => String(each.row_index + 1), right: true },
  { title: 'status', value: (each) => each.status },
  { title: 'attempts', value: (each) => String(each.attempts), right: true },
  { title: 'input', value: (each) => Object.values(each.input).filter(Boolean).join(' · ').slice(0, 50) },
  { title: 'why', value: (each) => (each.last_error ?? '').slice(0, 60) },
];

export function addJobCommands(program: Command): void {
  const jobs = program
    .command('jobs')
    .summary('start, watch, reprocess and export jobs of items')
    .description('Millrace stores the rows of a file first, then processes each one.')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace jobs start orders.csv --catalog prices --watch\n  millrace jobs items 01a1e155-… --status ERROR,NOT_FOUND\n' +
        '  millrace jobs reprocess 01a1e155-…\n  millrace jobs export 01a1e155-… --format csv --output result.csv',
    );
  const command = (name: string, description: string) =>
    jobs.command(name).description(description).addOption(tenantOption());
  const onJob = (name: string, description: string) =>
    command(name, description).argument('<job>', 'id of the job, see "millrace jobs list"');

  command('start', 'Submits files whose rows, or images, are processed one by one.')
    .argument('<files...>', 'one CSV, TSV, JSON, NDJSON, XLSX or ZIP; or several images')
    .option('--processor <name>', 'catalog, http, image or one of your own')
    .option('--options <json>', 'options of the processor, as a JSON object')
    .option('--catalog <name>', 'the catalogue to match with')
    .option('--watch', 'follow it to its receipt')
    .action((files: string[], _: JobOptions, self: Command) => start(files, self.optsWithGlobals<JobOptions>()));
  inPages(command('list', 'Lists jobs, newest first.'), 30).action((_: JobOptions, self: Command) =>
    list(self.optsWithGlobals<JobOptions>()),
  );
  onJob('show', 'Shows a job, its counters, and why it waits.').action((id: string, _: JobOptions, self: Command) =>
    show(id, self.optsWithGlobals<JobOptions>()),
  );
  inPages(onJob('items', 'Lists items in the order of the file.'), 100)
    .option('--status <words>', 'PENDING, PROCESSING, DONE, ERROR, NOT_FOUND, SKIPPED (several: A,B)')
    .option('--text <text>', 'part of a cell')
    .action((id: string, _: JobOptions, self: Command) => items(id, self.optsWithGlobals<JobOptions>()));
  onJob('reprocess', 'Processes items again: ERROR and NOT_FOUND, or those you name.')
    .option('--status <words>', 'which statuses (several: A,B)')
    .option('--items <ids>', 'which items (several: 1,2)')
    .action((id: string, _: JobOptions, self: Command) => reprocess(id, self.optsWithGlobals<JobOptions>()));
  onJob('kickoff', 'Processes some items in this call and prints the result.')
    .option('--duration <ms>', 'how long, at most 30000', '5000')
    .action((id: string, _: JobOptions, self: Command) => kickoff(id, self.optsWithGlobals<JobOptions>()));
  for (const verb of ['pause', 'resume'] as const)
    onJob(
      verb,
      verb === 'pause' ? 'Pauses a job; the slices being processed are finished first.' : 'Resumes a paused job.',
    ).action((id: string, _: JobOptions, self: Command) => control(verb, id, self.optsWithGlobals<JobOptions>()));
  onJob('export', 'Writes every item into a file, in the order of the grid.')
    .option('--format <word>', 'xlsx or csv', 'xlsx')
    .option('--output <file>', 'default: named after the job')
    .action((id: string, _: JobOptions, self: Command) => exportJob(id, self.optsWithGlobals<JobOptions>()));
  onJob('delete', 'Deletes a job with its items and results.').action((id: string, _: JobOptions, self: Command) =>
    remove(id, self.optsWithGlobals<JobOptions>()),
  );
}

async function start(files: readonly string[], options: JobOptions): Promise<void> {
  const { tenant, processor, options: told, catalog, watch, json = false } = options;
  const form = new FormData();
  for (const [name, value] of Object.entries({ processor, options: told, catalog }))
    if (value !== undefined) form.set(name, value);
  for (const file of files) {
    form.append('file', await openFile(file), path.basename(file));
  }
  await withConnection({ tenant, makesFirstTenant: true }, async (connection) => {
    const mustWork = await workIfNobodyDoes(connection, 'items');
    const answer = await connection.call('jobs.create', { body: form });
    if (watch !== true && !mustWork) {
      if (json) sayJson(answer);
      else say(`Job ${answer.jobId} is queued; follow it: millrace tail ${answer.jobId}`);
      return;
    }
    const run = await watchIngest(connection.call, answer.jobId, { isQuiet: json });
    if (json) sayJson(await connection.call('jobs.show', { params: { job_id: answer.jobId } }));
    else await sayJob(connection, answer.jobId);
    process.exitCode = exitCodeOfRun(run);
  });
}

async function list({ tenant, limit, after, json }: JobOptions): Promise<void> {
  const query = { pageSize: Number(limit), ...(after === undefined ? {} : { after }) };
  const page = await withConnection({ tenant }, ({ call }) => call('jobs.list', { query }));
  sayPage(page, {
    json,
    none: 'No jobs yet: millrace jobs start FILE',
    format: (rows) => formatTable(jobColumns, rows),
  });
}

async function show(id: string, { tenant, json }: JobOptions): Promise<void> {
  await withConnection({ tenant, run: id }, async (connection) => {
    if (json) sayJson(await connection.call('jobs.show', { params: { job_id: id } }));
    else await sayJob(connection, id);
  });
}

async function sayJob({ call }: Connection, id: string): Promise<void> {
  const job = await call('jobs.show', { params: { job_id: id } });
  say(
    formatFacts([
      ['job', job.jobId],
      ['file', job.file_name],
      ['processor', job.catalog === null ? job.processor : `${job.processor} (${job.catalog})`],
      ['state', job.why === null ? job.queue_state : `${job.queue_state}: ${job.why}`],
      [
        'items',
        `${job.total_items} = ${job.done_items} DONE + ${job.not_found_items} NOT_FOUND + ${job.error_items} ERROR + ` +
          `${job.skipped_items} SKIPPED + ${job.pending_items} pending`,
      ],
      ['next attempt', job.next_attempt_at ?? ''],
      ['error', job.last_error ?? ''],
    ]),
  );
}

/** More than the API gives at once is put together from several of its pages. */
async function items(id: string, { tenant, status, text, limit, after, json }: JobOptions): Promise<void> {
  const wanted = Number(limit);
  const found: Item[] = [];
  let next: string | null = after ?? null;
  await withConnection({ tenant, run: id }, async ({ call }) => {
    do {
      const page = await call('jobs.items', {
        params: { job_id: id },
        query: {
          pageSize: Math.min(500, wanted - found.length),
          ...(status === undefined ? {} : { statuses: status }),
          ...(text === undefined ? {} : { text }),
          ...(next === null ? {} : { after: next }),
        },
      });
      found.push(...page.data);
      next = page.next;
    } while (next !== null && found.length < wanted);
  });
  sayPage({ data: found, next }, { json, none: 'No item matches.', format: (rows) => formatTable(itemColumns, rows) });
}

async function reprocess(id: string, { tenant, status, items: named, json }: JobOptions): Promise<void> {
  const body = {
    ...(named === undefined ? {} : { scope: 'items' as const, itemIds: named.split(',').map((each) => each.trim()) }),
    ...(status === undefined
      ? {}
      : { statuses: status.split(',').map((each) => each.trim().toUpperCase()) as Item['status'][] }),
  };
  await withConnection({ tenant, run: id }, async (connection) => {
    const answer = await connection.call('jobs.reprocess', { params: { job_id: id }, body });
    if (json) sayJson(answer);
    else say(`${answer.reset} items start again in run ${answer.run_id}; ${answer.skipped} were skipped.`);
  });
}

async function kickoff(id: string, { tenant, duration, json }: JobOptions): Promise<void> {
  const answer = await withConnection({ tenant, run: id }, ({ call }) =>
    call('jobs.kickoff', { params: { job_id: id }, query: { durationMs: Number(duration) } }),
  );
  if (json) sayJson(answer);
  else say(`${answer.processed} items were processed, ${answer.remaining} remain; the job is ${answer.queue_state}.`);
}

async function control(verb: 'pause' | 'resume', id: string, { tenant, json }: JobOptions): Promise<void> {
  const job = await withConnection({ tenant, run: id }, ({ call }) => call(`jobs.${verb}`, { params: { job_id: id } }));
  if (json) sayJson(job);
  else say(`Job ${id} is ${job.queue_state}.`);
}

async function exportJob(id: string, { tenant, format = 'xlsx', output, json }: JobOptions): Promise<void> {
  await withConnection({ tenant, run: id }, async ({ call }) => {
    const made = await call('jobs.export', { params: { job_id: id }, query: { format } });
    const answer = await call('jobs.exported', { params: { job_id: id, export_id: made.export_id } });
    const file = output ?? `${id}.${format}`;
    await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(file));
    if (json) sayJson({ ...made, file });
    else say(`${made.rows} rows as of ${made.as_of}: ${file}`);
  });
}

async function remove(id: string, { tenant, json }: JobOptions): Promise<void> {
  await withConnection({ tenant, run: id }, ({ call }) => call('jobs.remove', { params: { job_id: id } }));
  if (json) sayJson({ jobId: id, deleted: true });
  else say(`Job ${id} is deleted.`);
}
