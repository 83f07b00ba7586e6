// A file becomes a job: the job's row and its first run in one transaction, under one id. The same file again becomes another job: rows are
// processed again, and what a provider says may have changed.
import { readFile } from 'node:fs/promises';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { StoredFile } from '../../engine/blobs/store-file.ts';
import type { Engine } from '../../engine/engine.ts';
import { becomeRole } from '../../engine/sql/become-role.ts';
import { enterTenant, type Queryable, withTransaction } from '../../platform/database.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { requireStorable } from '../../platform/require-storable.ts';
import { bytesSource } from '../../tabular/byte-source.ts';
import type { OnDoubt } from '../../tabular/doubt-question.ts';
import type { ItemsDeps } from './deps.ts';
import type { ItemsInput } from './input.ts';
import { againIfTaken, loadCatalog } from './load-catalog.ts';
import type { AnyProcessor, ProcessorColumn } from './processors/processor.ts';
import { checkedOptions, processorNamed } from './processors/registry.ts';
import { findCatalog, findNewestCatalog, lockCatalogName } from './sql/catalogs.ts';
import { findUserId, insertJob } from './sql/jobs.ts';

export interface JobRequest {
  readonly tenantId: string;
  readonly file: StoredFile;
  readonly processor?: string | undefined;
  readonly options?: string | undefined;
  readonly catalog?: string | undefined;
  readonly duplicates?: 'skip' | 'process' | undefined;
  readonly onDoubt?: OnDoubt | undefined;
  readonly createdBy?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly sourceId?: string | undefined;
  readonly uniqueKey?: string | undefined;
  readonly ip?: string | null | undefined;
}

export interface AcceptedJob {
  readonly runId: string;
  readonly status: string;
  readonly created: boolean;
}

/** The catalogue of this name comes with Millrace, for the sample on the home page. */
const SAMPLE_CATALOG = 'sample';
const sampleFile = new URL('../../../samples/catalog.csv', import.meta.url);
const DEFAULT_PROCESSOR = 'catalog';
const IMAGES = 'image';
const ROLE = 'items_worker';

export async function acceptJob(
  { engine, log, deps }: { readonly engine: Engine; readonly log: Log; readonly deps: ItemsDeps },
  request: JobRequest,
): Promise<AcceptedJob> {
  requireEnabled(deps);
  const { tenantId, file } = request;
  const jobId = uuidv7();
  const { answer, name } = await againIfTaken(() =>
    withTransaction(engine.pools.control, async (tx) => {
      await enterTenant(tx, { tenantId, role: ROLE });
      const { processor, options, columns } = await prepareJob(tx, deps, request, jobId);
      await becomeRole(tx, 'millrace_app');
      const userId = request.createdBy === undefined ? null : await findUserId(tx, tenantId, request.createdBy);
      await enterTenant(tx, { tenantId: '', role: 'millrace_engine' });
      const [run] = await engine.enqueueIn(tx, [runOf(jobId, request, processor.name)]);
      // A source that gives the same object again finds its job: there is no second one.
      if (run?.created === false) return { answer: run, name: processor.name };
      await enterTenant(tx, { tenantId, role: ROLE });
      await insertJob(tx, {
        jobId,
        tenantId,
        userId,
        ip: request.ip ?? null,
        fileId: file.blobId,
        fileName: file.originalName,
        jobType: isOfImages(file) ? 'image' : 'csv',
        processor: processor.name,
        processorVersion: processor.version,
        options,
        outputColumns: columns,
      });
      return { answer: run, name: processor.name };
    }),
  );
  engine.wake();
  if (answer?.created === false) return { runId: answer.id, status: 'queued', created: false };
  log.info(
    { event: 'items.job_submitted', tenant: tenantId, job: jobId, processor: name, bytes: file.bytes },
    'items.job_submitted',
  );
  return { runId: jobId, status: 'queued', created: true };
}

/** Which processor, what it is told, and which columns it will have. As items_worker under the tenant. */
export async function prepareJob(
  tx: Queryable,
  { processors }: Pick<ItemsDeps, 'processors'>,
  request: Pick<JobRequest, 'tenantId' | 'file' | 'processor' | 'options' | 'catalog'>,
  jobId: string,
): Promise<{
  readonly processor: AnyProcessor;
  readonly options: unknown;
  readonly columns: readonly ProcessorColumn[];
}> {
  const isImages = isOfImages(request.file);
  const processor = processorNamed(processors, request.processor ?? (isImages ? IMAGES : DEFAULT_PROCESSOR));
  if (isImages !== (processor.takesImages === true))
    throw new MillraceError('processor_options_invalid', {
      processor: processor.name,
      reason: isImages ? 'it takes rows, and this file holds images' : 'it takes images, and this file holds rows',
    });
  const given = parseOptions(processor.name, request.options);
  const wantsCatalog = processor.name === DEFAULT_PROCESSOR || (isImages && request.catalog !== undefined);
  const checked = checkedOptions(processor, { ...given, ...(wantsCatalog ? await catalogOptions(tx, request) : {}) });
  const options = processor.prepare?.(checked, jobId) ?? checked;
  return { processor, options, columns: processor.columnsOf?.(options) ?? processor.columns };
}

export function requireEnabled({ settings }: Pick<ItemsDeps, 'settings'>): void {
  if (!settings.dbIngestEnabled) throw new MillraceError('feature_disabled', { setting: 'DB_INGEST_ENABLED' });
}

function isOfImages({ format }: Pick<StoredFile, 'format'>): boolean {
  return format === 'zip' || format === 'image';
}

function runOf(jobId: string, request: JobRequest, processor: string) {
  const { tenantId, file, createdBy, correlationId, sourceId, uniqueKey, onDoubt, duplicates } = request;
  const input: ItemsInput = {
    job_id: jobId,
    filename: file.originalName,
    job_type: isOfImages(file) ? 'image' : 'csv',
    processor,
    ...(onDoubt === undefined ? {} : { on_doubt: onDoubt }),
    ...(duplicates === undefined ? {} : { duplicates }),
  };
  return {
    id: jobId,
    pipeline: 'items',
    tenantId,
    input,
    blobId: file.blobId,
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(sourceId === undefined ? {} : { sourceId }),
    ...(uniqueKey === undefined ? {} : { uniqueKey }),
    ...(request.ip == null ? {} : { createdIp: request.ip }),
  };
}

/** The newest version of the name, which the job keeps. */
async function catalogOptions(
  tx: Queryable,
  { tenantId, catalog, options }: Pick<JobRequest, 'tenantId' | 'catalog' | 'options'>,
) {
  if (catalog === undefined) {
    if (options !== undefined) return {};
    const newest = await findNewestCatalog(tx, tenantId);
    if (newest !== undefined) return { catalog_id: newest.catalog_id, catalog: `${newest.name} v${newest.version}` };
    throw new MillraceError('processor_options_invalid', {
      processor: DEFAULT_PROCESSOR,
      reason: 'there is no catalogue yet; upload one first',
    });
  }
  const known =
    (await findCatalog(tx, tenantId, catalog)) ??
    (catalog === SAMPLE_CATALOG ? await loadSample(tx, tenantId) : undefined);
  if (known === undefined) throw new MillraceError('catalog_not_found', { catalog });
  return { catalog_id: known.catalog_id, catalog: `${known.name} v${known.version}` };
}

/** First jobs that come at once look one after the other, so that one of them loads it. */
async function loadSample(tx: Queryable, tenantId: string) {
  await lockCatalogName(tx, tenantId, SAMPLE_CATALOG);
  const loaded = await findCatalog(tx, tenantId, SAMPLE_CATALOG);
  if (loaded !== undefined) return loaded;
  const source = bytesSource(await readFile(sampleFile));
  return loadCatalog(tx, { tenantId, name: SAMPLE_CATALOG, fileName: 'catalog.csv', by: 'Millrace', source });
}

function parseOptions(processor: string, text: string | undefined): Record<string, unknown> {
  if (text === undefined || text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Told below.
  }
  requireStorable(value, 'options');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new MillraceError('processor_options_invalid', { processor, reason: 'options must be a JSON object' });
}
