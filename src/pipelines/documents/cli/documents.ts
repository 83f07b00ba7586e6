// Documents on the command line: upload, list, show, export, and what an admin does.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { type Connection, withConnection } from '../../../cli/connection.ts';
import { watchIngest } from '../../../cli/ingest/watch-ingest.ts';
import { openFile } from '../../../cli/open-file.ts';
import { type Column, formatCount, formatFacts, formatTable, note, plural, say, sayJson } from '../../../cli/output.ts';
import { inPages, type PageOptions, pageQuery, sayPage } from '../../../cli/pages.ts';
import { exitCodeOfRun } from '../../../cli/runs/tail-run.ts';
import { tenantOption } from '../../../cli/tenant-option.ts';
import { relativeTime } from '../../../cli/times.ts';
import { workIfNobodyDoes } from '../../../cli/work-here.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';

type Listed = AnswerOf<'documents.list'>['data'][number];
type Detail = AnswerOf<'documents.show'>;
type Orphan = AnswerOf<'documents.orphans'>['data'][number];
type PageRow = AnswerOf<'documents.pages'>['data'][number];

interface DocumentOptions extends PageOptions {
  readonly tenant?: string;
  readonly title?: string;
  readonly tags?: string;
  readonly search?: string;
  readonly status?: 'active' | 'inactive' | 'all';
  readonly docVersion?: string;
  readonly output?: string;
  readonly reason?: string;
  readonly fate?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
}

const documentColumns: readonly Column<Listed>[] = [
  { title: 'document', value: (each) => each.doc_id },
  { title: 'title', value: (each) => each.title.slice(0, 50) },
  { title: 'version', value: (each) => each.version_label ?? '' },
  { title: 'pages', value: (each) => String(each.pages), right: true },
  { title: 'grade', value: (each) => each.grade ?? '' },
  { title: 'chunks', value: (each) => String(each.chunks), right: true },
  { title: 'served', value: (each) => (each.activated_at === null ? '' : relativeTime(new Date(each.activated_at))) },
];

const orphanColumns: readonly Column<Orphan>[] = [
  { title: 'document', value: (each) => each.doc_id },
  { title: 'title', value: (each) => each.title.slice(0, 50) },
  { title: 'since', value: (each) => relativeTime(new Date(each.created_at)) },
];

const pageColumns: readonly Column<PageRow>[] = [
  { title: 'page', value: (each) => String(each.page_no), right: true },
  { title: 'fate', value: (each) => each.fate },
  { title: 'chars', value: (each) => String(each.chars), right: true },
  { title: 'reason', value: (each) => each.reason ?? '' },
];

export function addDocumentCommands(program: Command): void {
  const documents = program
    .command('documents')
    .summary('upload, list, show, export, deactivate and delete documents')
    .description('Millrace recognises a document by its bytes, or by its key in a source. One version of it is active.')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace documents upload policy.pdf --watch\n  millrace documents list --search policy\n' +
        '  millrace documents pages 01a1e155-… --fate rejected\n  millrace documents export 01a1e155-… --output policy.md',
    );
  const command = (name: string, description: string) =>
    documents.command(name).description(description).addOption(tenantOption());

  command('upload', 'Uploads a PDF, DOCX, HTML, TXT or MD file.')
    .argument('<file>', 'PDF, DOCX, HTML, TXT or MD')
    .option('--title <text>', 'default: the name of the file')
    .option('--tags <words>', 'separated by commas')
    .option('--watch', 'follow it to its receipt')
    .action((file: string, _: DocumentOptions, self: Command) => upload(file, self.optsWithGlobals<DocumentOptions>()));
  inPages(command('list', 'Lists the active documents, newest first.'), 30)
    .option('--search <text>', 'part of the title')
    .option('--status <word>', 'active, inactive or all', 'active')
    .action((_: DocumentOptions, self: Command) => list(self.optsWithGlobals<DocumentOptions>()));
  command('show', 'Shows a document and its versions.')
    .argument('<document>', 'id of the document, see "millrace documents list"')
    .action((id: string, _: DocumentOptions, self: Command) => show(id, self.optsWithGlobals<DocumentOptions>()));
  inPages(command('pages', 'Lists the pages of a version and what became of each.'), 500)
    .argument('<document>', 'id of the document, see "millrace documents list"')
    .option('--doc-version <number>', 'default: the active one')
    .option('--fate <words>', 'text, ocr, empty, rejected (several: a,b)')
    .action((id: string, _: DocumentOptions, self: Command) => pages(id, self.optsWithGlobals<DocumentOptions>()));
  command('retry-page', 'Reads a page again with OCR, excludes it, or includes it again; this makes a new version.')
    .argument('<document>', 'id of the document, see "millrace documents list"')
    .argument('<page>', 'its number')
    .argument('<how>', 'ocr, exclude or include')
    .option('--watch', 'follow it to its receipt')
    .action((id: string, page: string, how: string, _: DocumentOptions, self: Command) =>
      retryPage(id, page, how, self.optsWithGlobals<DocumentOptions>()),
    );
  command('export', 'Writes a version as Markdown.')
    .argument('<document>', 'id of the document, see "millrace documents list"')
    .option('--doc-version <number>', 'default: the active one')
    .option('--output <file>', 'default: standard output')
    .action((id: string, _: DocumentOptions, self: Command) =>
      exportMarkdown(id, self.optsWithGlobals<DocumentOptions>()),
    );
  command('download', 'Writes the file that a version was made of.')
    .argument('<document>', 'id of the document, see "millrace documents list"')
    .requiredOption('--output <file>', 'where to')
    .option('--doc-version <number>', 'default: the active one')
    .action((id: string, _: DocumentOptions, self: Command) => download(id, self.optsWithGlobals<DocumentOptions>()));
  inPages(
    command('orphans', 'Lists documents that have no version, because no run succeeded, newest first.'),
    30,
  ).action((_: DocumentOptions, self: Command) => orphans(self.optsWithGlobals<DocumentOptions>()));
  command('deactivate', 'Deactivates a document, so that search no longer finds it. It deletes nothing.')
    .argument('<document>', 'id of the document, see "millrace documents list"')
    .option('--reason <text>', 'kept with the tombstone')
    .action((id: string, _: DocumentOptions, self: Command) => deactivate(id, self.optsWithGlobals<DocumentOptions>()));
  command('reactivate', 'Makes a document active again.')
    .argument('<document>', 'id of the document, see "millrace documents list"')
    .option('--doc-version <number>', 'default: the newest one')
    .action((id: string, _: DocumentOptions, self: Command) => reactivate(id, self.optsWithGlobals<DocumentOptions>()));
  command(
    'purge',
    'Erases a document for good: versions, pages, vectors, files and quotes in kept answers. A tombstone stays.',
  )
    .argument('<document>', 'id of the document, see "millrace documents list"')
    .option('--reason <text>', 'kept with the tombstone')
    .option('--yes', 'do it; without it, the command only says what it would erase')
    .action((id: string, _: DocumentOptions, self: Command) => purge(id, self.optsWithGlobals<DocumentOptions>()));
}

async function upload(file: string, { tenant, title, tags, watch, json = false }: DocumentOptions): Promise<void> {
  const body = await openFile(file);
  const form = new FormData();
  if (title !== undefined) form.set('title', title);
  if (tags !== undefined) form.set('tags', tags);
  form.set('file', body, path.basename(file));
  await withConnection({ tenant, makesFirstTenant: true }, async (connection) => {
    const mustWork = await workIfNobodyDoes(connection, 'documents');
    const answer = await connection.call('documents.ingest', { body: form });
    if (answer.run_id === undefined || (watch !== true && !mustWork)) {
      if (json) sayJson(answer);
      else if (answer.run_id === undefined)
        say(`Already ingested, no changes: document ${answer.doc_id}${saidOf(answer.updated)}`);
      else
        say(`Run ${answer.run_id} is queued for document ${answer.doc_id}; follow it: millrace tail ${answer.run_id}`);
      return;
    }
    await follow(connection, answer.run_id, answer.doc_id, json);
  });
}

/** To its receipt. */
async function follow({ call }: Connection, runId: string, docId: string, json: boolean): Promise<void> {
  const run = await watchIngest(call, runId, { isQuiet: json, describeWork });
  if (json) sayJson(run);
  else say(`Document ${docId}: ${run.status}`);
  process.exitCode = exitCodeOfRun(run);
}

/** "233 chunks · 561 passages: 540 embedded, 21 reused". */
function describeWork(receipt: Record<string, unknown>): string {
  const { chunks_created: chunks = 0, embedded = 0, reused = 0 } = receipt as Record<string, number>;
  const passages = plural(embedded + reused, 'passage');
  return `${plural(chunks, 'chunk')} · ${passages}: ${formatCount(embedded)} embedded, ${formatCount(reused)} reused`;
}

async function list({ tenant, search, status = 'active', json, ...place }: DocumentOptions): Promise<void> {
  const query = { ...pageQuery(place), status, ...(search === undefined ? {} : { search }) };
  const page = await withConnection({ tenant }, ({ call }) => call('documents.list', { query }));
  sayPage(page, { json, none: 'No documents match.', format: (rows) => formatTable(documentColumns, rows) });
}

async function show(id: string, { tenant, json }: DocumentOptions): Promise<void> {
  const document = await withConnection({ tenant }, ({ call }) => call('documents.show', { params: { doc_id: id } }));
  if (json) sayJson(document);
  else say(describe(document));
}

async function pages(id: string, options: DocumentOptions): Promise<void> {
  const { tenant, docVersion: version, fate, json } = options;
  const query = { ...pageQuery(options), ...(fate === undefined ? {} : { fate }) };
  const listed = await withConnection({ tenant }, async ({ call }) => {
    const params = { doc_id: id, version: version ?? (await servedVersion(call, id)) };
    return call('documents.pages', { params, query });
  });
  sayPage(listed, { json, none: 'No pages match.', format: (rows) => formatTable(pageColumns, rows) });
}

async function retryPage(
  id: string,
  page: string,
  how: string,
  { tenant, watch, json = false }: DocumentOptions,
): Promise<void> {
  await withConnection({ tenant }, async (connection) => {
    const { call } = connection;
    const mustWork = await workIfNobodyDoes(connection, 'documents');
    const params = { doc_id: id, version: await servedVersion(call, id), page_no: page };
    const answer = await call('documents.page-retry', { params, body: { how: how as 'ocr' } });
    if (watch === true || mustWork) return follow(connection, answer.run_id, id, json);
    if (json) sayJson(answer);
    else say(`Run ${answer.run_id} is queued; follow it: millrace tail ${answer.run_id}`);
    return undefined;
  });
}

async function exportMarkdown(id: string, { tenant, docVersion: version, output }: DocumentOptions): Promise<void> {
  const text = await withConnection({ tenant }, async ({ call }) => {
    const params = { doc_id: id, version: version ?? (await servedVersion(call, id)) };
    return (await call('documents.markdown', { params })).text();
  });
  if (output === undefined) say(text.trimEnd());
  else await writeFile(output, text);
}

async function download(id: string, { tenant, docVersion: version, output = '' }: DocumentOptions): Promise<void> {
  const bytes = await withConnection({ tenant }, async ({ call }) => {
    const params = { doc_id: id, version: version ?? (await servedVersion(call, id)) };
    return Buffer.from(await (await call('documents.original', { params })).arrayBuffer());
  });
  await writeFile(output, bytes);
  say(`${formatCount(bytes.length)} bytes written to ${output}.`);
}

async function orphans({ tenant, json, ...place }: DocumentOptions): Promise<void> {
  const query = pageQuery(place);
  const page = await withConnection({ tenant }, ({ call }) => call('documents.orphans', { query }));
  const none = 'No orphans: every document has a version.';
  sayPage(page, { json, none, format: (rows) => `${formatTable(orphanColumns, rows)}\n${runsOfOrphans}` });
}

const runsOfOrphans = 'Their runs: millrace runs list --pipeline documents --phase waiting,active,failed';

async function deactivate(id: string, { tenant, reason, json }: DocumentOptions): Promise<void> {
  const body = reason === undefined ? {} : { reason };
  const document = await withConnection({ tenant }, ({ call }) =>
    call('documents.deactivate', { params: { doc_id: id }, body }),
  );
  if (json) sayJson(document);
  else say(`Document ${id} is not served any more.`);
}

async function reactivate(id: string, { tenant, docVersion: version, json }: DocumentOptions): Promise<void> {
  const body = version === undefined ? {} : { version: Number(version) };
  const document = await withConnection({ tenant }, ({ call }) =>
    call('documents.reactivate', { params: { doc_id: id }, body }),
  );
  if (json) sayJson(document);
  else say(`Document ${id} is served again: ${document.version_label}.`);
}

/** Says what goes before it goes: nobody can restore it. */
async function purge(id: string, { tenant, reason, yes = false, json }: DocumentOptions): Promise<void> {
  await withConnection({ tenant }, async ({ call }) => {
    if (!yes) {
      const { title, versions } = await call('documents.show', { params: { doc_id: id } });
      note(`purge would erase "${title}" for good: ${plural(versions.length, 'version')}. Add --yes to do it.`);
      return;
    }
    const query = reason === undefined ? {} : { reason };
    const answer = await call('documents.purge', { params: { doc_id: id }, query });
    const counts = (['version', 'page', 'vector', 'file', 'answer'] as const).map((word) =>
      plural(answer[`${word}s`], word),
    );
    if (json) sayJson(answer);
    else say(`Document ${id} is erased: ${counts.join(', ')}.`);
  });
}

function saidOf(updated: readonly string[] | undefined): string {
  return updated === undefined ? '' : `; changed: ${updated.join(', ')}`;
}

type Call = Parameters<Parameters<typeof withConnection>[1]>[0]['call'];

async function servedVersion(call: Call, id: string): Promise<number> {
  const { versions } = await call('documents.show', { params: { doc_id: id } });
  const served = versions.find(({ is_active: isActive }) => isActive) ?? versions[0];
  if (served === undefined)
    throw new MillraceError('document_version_not_found', { document: id, version: 'that is ready' });
  return served.version;
}

function describe(document: Detail): string {
  const facts = formatFacts([
    ['title', document.title],
    ['status', document.status],
    ['source', document.source_uri],
    ['grade', document.grade ?? undefined],
    ['pages', String(document.pages)],
    ['chunks', String(document.chunks)],
    ['run', document.live_run === null ? undefined : `${document.live_run.run_id} (${document.live_run.status})`],
    ['last run', document.last_failure === null ? undefined : `failed: ${document.last_failure.message}`],
    ['retry', document.last_failure === null ? undefined : `millrace runs retry ${document.last_failure.run_id}`],
  ]);
  const versions = document.versions.flatMap((each) => [
    `  ${each.version_label}${each.is_active ? ' (served)' : ''}  ${plural(each.pages, each.unit)}, ${plural(each.chunks, 'chunk')}`,
    // What a reader of the document has and a reader of the version has not.
    ...each.notes.map((said) => `     ${said}`),
  ]);
  return [facts, ...versions].join('\n');
}
