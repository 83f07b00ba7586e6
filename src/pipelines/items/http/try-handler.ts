// POST /api/jobs/try: the first rows of a file go through the processor as they would in a job, and nothing is stored.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { JobFields } from '../../../contract/pipelines/items/api.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { receiveUpload } from '../../../http/uploads/receive-upload.ts';
import type { UploadLimits } from '../../../http/uploads/upload-limits.ts';
import { withTenant } from '../../../platform/database.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { parseFields } from '../../../sources/intake.ts';
import { blobSource } from '../../../tabular/blob-source.ts';
import type { ByteSource } from '../../../tabular/byte-source.ts';
import { sniffTableFile } from '../../../tabular/content/table-file.ts';
import { selectMapping } from '../../../tabular/mapping/sql/select-mapping.ts';
import { openTable } from '../../../tabular/read-table.ts';
import { startOfFile } from '../../../tabular/row-batch.ts';
import { cellsOf } from '../../../tabular/validation/row-reject.ts';
import { prepareJob, requireEnabled } from '../accept-job.ts';
import type { ItemsDeps } from '../deps.ts';
import { columnNames } from '../fields.ts';
import { againIfTaken } from '../load-catalog.ts';
import { attemptItems } from '../process/attempt-item.ts';
import { judgeOutcome } from '../process/retry-rules.ts';
import { TimeLimits } from '../process/time-limits.ts';
import { type FieldFinder, fieldFinder, type JobReading, readAsSaved, rowLimits } from '../reading.ts';
import type { ClaimedItem } from '../sql/claim-items.ts';

type Tried = AnswerOf<'jobs.try'>;

/** A person waits for the answer. */
const TIMEOUT_MS = 15_000;
const ROWS = 5;
const ROLE = 'items_worker';

export function tryHandler(deps: ItemsDeps, limits: UploadLimits): Handlers {
  return handle('jobs.try', async (call) => {
    requireEnabled(deps);
    const { tenantId } = call.principal;
    const target = { store: deps.store, tenantId, sniff: sniffTableFile };
    const { fields, file } = await receiveUpload(call.request.raw, target, limits);
    call.trail.changedNothing();
    try {
      const asked = parseFields(JobFields, Object.fromEntries(fields));
      if (asked.workspace_id !== undefined && asked.workspace_id !== tenantId)
        throw new MillraceError('workspace_mismatch', { given: asked.workspace_id });
      const source = blobSource(deps.store, { store_key: file.storeKey, bytes: file.bytes });
      const find = (fingerprint: string) =>
        withTenant(call.app.pool, { tenantId, role: ROLE }, (tx) =>
          selectMapping(tx, { pipeline: 'items', fingerprint }),
        );
      const read = await readAsSaved(source, file.originalName, {}, find);
      const columns = columnNames(read.reading.header.value.names);
      const rows = await firstRows(source, read, columns);
      const jobId = uuidv7();
      const prepared = await againIfTaken(() =>
        withTenant(call.app.pool, { tenantId, role: ROLE }, (tx) =>
          prepareJob(tx, deps, { ...asked, tenantId, file }, jobId),
        ),
      );
      const finder = fieldFinder(read.mapping, columns);
      return { input_columns: columns, ...(await tryRows(call, deps, prepared, { jobId, fields: finder }, rows)) };
    } finally {
      await deps.store.delete(file.storeKey).catch(() => undefined);
    }
  });
}

type Cells = Record<string, string>;

async function firstRows(source: ByteSource, { reading }: JobReading, columns: readonly string[]): Promise<Cells[]> {
  const rows: Cells[] = [];
  for await (const batch of openTable(source, reading, { batchBytes: 65_536, limits: rowLimits }).batches(
    startOfFile,
  )) {
    for (const row of batch.dataRows()) if (rows.length < ROWS) rows.push(cellsOf(batch, row, columns));
    if (rows.length >= ROWS) break;
  }
  if (rows.length === 0) throw new MillraceError('empty_file');
  return rows;
}

async function tryRows(
  { app, principal, request }: Pick<Call<'jobs.try'>, 'app' | 'principal' | 'request'>,
  deps: ItemsDeps,
  { processor, options, columns }: Awaited<ReturnType<typeof prepareJob>>,
  { jobId, fields }: { readonly jobId: string; readonly fields: FieldFinder },
  rows: readonly Cells[],
): Promise<Omit<Tried, 'input_columns'>> {
  const { tenantId } = principal;
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort(new Error('the caller has left')));
  const { limits } = processor;
  const timeoutMs = Math.min(TIMEOUT_MS, deps.settings.itemTimeoutMs);
  const times = new TimeLimits(gone.signal, timeoutMs);
  const attempt = {
    processor,
    options,
    tenantId,
    jobId,
    fields,
    pace: deps.paces.of(limits?.key?.(options) ?? `${tenantId} ${processor.name}`, {
      concurrency: Math.min(deps.settings.itemConcurrency, limits?.concurrency ?? Number.POSITIVE_INFINITY),
      perSecond: limits?.perSecondOf?.(options) ?? limits?.perSecond,
    }),
    timeoutMs,
    limits: times,
    signal: gone.signal,
    read: <T>(work: Parameters<typeof withTenant<T>>[2]) => withTenant(app.pool, { tenantId, role: ROLE }, work),
    onDecision: () => undefined,
    file: async () => undefined,
  };
  const claimed = rows.map(
    (cells, index): ClaimedItem => ({
      id: String(index + 1),
      row_index: index,
      input_json: cells,
      normalized_json: fields.findsNothing ? null : fields.find(cells),
      corrections: null,
      attempts: 1,
      errors: 0,
      not_founds: 0,
      refusals: 0,
      claims: 1,
    }),
  );
  const per = processor.processBatch === undefined ? 1 : Math.max(1, limits?.batchOf?.(options) ?? limits?.batch ?? 1);
  const chunks = Array.from({ length: Math.ceil(claimed.length / per) }, (_, at) =>
    claimed.slice(at * per, (at + 1) * per),
  );
  const tried = (
    await Promise.all(chunks.map((chunk) => attemptItems(chunk, attempt))).finally(() => times.close())
  ).flat();
  return {
    output_columns: columns.map((column) => ({ ...column })),
    rows: tried.map(({ claimed: item, outcome, strategy, ms, requests }) => {
      const judged = judgeOutcome(item, outcome, { strategy, ms }, { ...deps.settings, spacing: 1 });
      return {
        row_index: item.row_index,
        input: item.input_json ?? {},
        normalized: item.normalized_json,
        outcome: judged.outcome,
        result: (judged.result as Record<string, unknown> | null) ?? null,
        error_code: judged.code,
        detail: judged.detail,
        ms: judged.ms,
        requests: requests.map(({ provider, outcome: said, ms: took }) => ({ provider, outcome: said, ms: took })),
      };
    }),
  };
}
