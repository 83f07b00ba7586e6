// The fields a log line may have, and the shape of each. A field that is not listed is not written; the line then names it under
// "omitted", so that whoever misses it adds it here, having thought about what it can contain. Rows, names of people and file
// contents have no field, on purpose.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { decodeBytes, hideQuoted, redactText } from './redaction.ts';

/**
 * id: an identifier of ours · word: one of a few fixed words · number · flag · time: a Date or ISO text · hash: hex ·
 * text: a sentence, searched for secrets · filename: hash and extension · counts: words with numbers · list: of ids or words
 */
export type FieldShape =
  | 'id'
  | 'word'
  | 'number'
  | 'flag'
  | 'time'
  | 'hash'
  | 'text'
  | 'filename'
  | 'counts'
  | 'list'
  | 'error'
  | 'request'
  | 'response';

const names: Readonly<Record<FieldShape, string>> = {
  id: `run runId run_id tenant tenantId tenant_id workspace_id client_id worker workerId worker_id source sourceId source_id blob
    blobId blob_id batch batchId source_batch_id upload upload_id connector connector_id connection_id event eventId event_id
    delivery delivery_id endpoint endpoint_id user userId user_id key_id schedule schedule_id alert rule reqId requestId
    correlationId correlation_id lane job_id airbyte_job_id ticket_id retry_of requeued_as successor position version migration
    original_run incarnation mapping mapping_id doc_id source_uri upload_uri query_id model llm job first_id last_id message_id`,
  word: `pipeline stage status phase state action outcome kind code error_code error_type reason_code name level type mode
    role method operation route host signal failpoint component wait_reason platform step plan sink format encoding
    transport file_type channel dedup_result content_type delegation_mode processor fate`,
  number: `count runs rows items bytes ms durationMs duration_ms seconds attempt attempts port pid serverPid responseTime
    statusCode position row_count record_count inserted updated unchanged rejected read merged superseded stale size sizeBytes
    retries retry_count limit lag depth concurrency waiting active delivered failed total part parts rate delay_ms in_seconds
    batchSize p50 p95 p99 rss exitCode kills poolSize poolWaiting applied_count backlog stale_hours row_number size_bytes
    chunks_created tokens_total queue_wait_ms tokens_in tokens_out cost_usd jobs late receives`,
  flag: 'created stopped ok retried duplicate skipped dry_run forced embedded enabled disabled taken_over delegation_success',
  time: 'ts at until since started_at finished_at completed_at created_at available_at expires_at original_started_at due_at first_at last_at',
  hash: 'sha256 hash file_hash checksum digest content_hash',
  // A service has a name of several words.
  text: 'reason detail next hint message error_message folder path target url service',
  filename: 'filename file fileName file_name original_name source_file',
  counts: 'counts receipt totals failures stages outcomes retried_items retry_after_ms',
  list: 'applied codes omitted events pipelines lanes kinds missing roles',
  error: 'err error cause',
  request: 'req',
  response: 'res',
};

const shapes = new Map<string, FieldShape>(
  (Object.entries(names) as [FieldShape, string][]).flatMap(([shape, list]) =>
    list.split(/\s+/).map((name): [string, FieldShape] => [name, shape]),
  ),
);

export interface FieldOptions {
  readonly logFilenames: boolean;
  /** Stack traces, at debug. */
  readonly stacks: boolean;
}

const idForm = /^[\w.:#@/-]{1,200}$/;
const wordForm = /^[\w.:/-]{1,120}$/;
const maxText = 1_000;
const maxItems = 100;
const maxCauses = 5;

/** The part of `fields` that may be written. */
export function allowedFields(fields: object, options: FieldOptions): Record<string, unknown> {
  const allowed: Record<string, unknown> = {};
  const omitted: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const shape = shapes.get(name);
    const written = shape === undefined ? undefined : writeAs(shape, value, options);
    if (written !== undefined) allowed[name] = written;
    // Even the name of an unlisted field may be data: somebody may have spread a row into the fields.
    else omitted.push(/^[a-z][A-Za-z0-9_]{0,39}$/.test(name) ? redactText(name) : '?');
  }
  if (omitted.length > 0) allowed.omitted = [...new Set(omitted)].slice(0, maxItems);
  return allowed;
}

/** A hash that is the same for the same name, and the extension. */
export function hashFilename(filename: string): string {
  const extension = path.extname(filename);
  const hash = createHash('sha256').update(filename).digest('hex').slice(0, 12);
  return hash + (/^\.[A-Za-z0-9]{1,8}$/.test(extension) ? extension.toLowerCase() : '');
}

/** An error as a log line shows it: what kind, which code, a message without data, and no more than that. */
function describeError(error: unknown, options: FieldOptions, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, kind, severity, constraint, table, syscall, cause } = error as Error & Record<string, unknown>;
  const fromDatabase = typeof severity === 'string' && typeof code === 'string';
  // Data exceptions quote the value that was wrong.
  const keepIdentifiers = !(fromDatabase && String(code).startsWith('22'));
  const word = (value: unknown) => writeAs('word', value, options);
  const described: Record<string, unknown> = {
    type: word(error.name),
    code: word(code),
    kind: word(kind),
    syscall: word(syscall),
    constraint: word(constraint),
    table: word(table),
    message: cut(redactText(hideQuoted(error.message, keepIdentifiers))),
    stack: options.stacks ? stackOf(error) : undefined,
    cause: cause !== undefined && depth < maxCauses ? describeError(cause, options, depth + 1) : undefined,
    errors:
      error instanceof AggregateError && depth < maxCauses
        ? error.errors.slice(0, maxCauses).map((each) => describeError(each, options, depth + 1))
        : undefined,
  };
  return Object.fromEntries(Object.entries(described).filter(([, value]) => value !== undefined));
}

function writeAs(shape: FieldShape, value: unknown, options: FieldOptions): unknown {
  switch (shape) {
    case 'id':
      return writeToken(value, idForm);
    case 'word':
      return writeToken(value, wordForm);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
    case 'flag':
      return typeof value === 'boolean' ? value : undefined;
    case 'time':
      return writeTime(value);
    case 'hash':
      return typeof value === 'string' && /^(?:sha256:)?(?:[0-9a-f]{8,16}|[0-9a-f]{64})$/i.test(value)
        ? value
        : undefined;
    case 'text':
      return typeof value === 'string' ? cut(redactText(value)) : undefined;
    case 'filename':
      if (typeof value !== 'string') return undefined;
      return options.logFilenames ? cut(value) : hashFilename(value);
    case 'counts':
      return writeCounts(value);
    case 'list':
      return Array.isArray(value)
        ? value.slice(0, maxItems).map((item) => writeToken(item, wordForm) ?? '?')
        : undefined;
    case 'error':
      return describeError(value, options);
    case 'request':
      return writeRequest(value);
    case 'response':
      return writeResponse(value);
  }
}

// A token of the right letters can still be a secret or an address: the patterns decide. A uuid and a plain number are neither.
function writeToken(value: unknown, form: RegExp): string | number | undefined {
  if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e9) return value;
  if (typeof value !== 'string' || !form.test(value)) return undefined;
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return value;
  // Words in base64 are no identifier.
  if (value.length >= 12 && decodeBytes(value, 'base64')?.includes(' ')) return undefined;
  return redactText(value);
}

function writeTime(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ][\d:.+Z-]{5,30}$/.test(value) ? value : undefined;
}

function writeCounts(value: unknown): Record<string, unknown> | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const entries = Object.entries(value)
    .filter(([name, count]) => typeof count === 'number' && /^[a-z][A-Za-z0-9_.]{0,39}$/.test(name))
    .map(([name, count]): [string, unknown] => [redactText(name), count]);
  return Object.fromEntries(entries.slice(0, maxItems));
}

// The path only: a query may carry anything.
function writeRequest(value: unknown): Record<string, unknown> | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { id, method, url } = value as { id?: unknown; method?: unknown; url?: unknown };
  const pathOnly = typeof url === 'string' ? redactText(url.split('?')[0] ?? '') : undefined;
  return { id: writeToken(id, /^[\w.:-]{1,128}$/), method: writeToken(method, /^[A-Z]{1,10}$/), url: pathOnly };
}

function writeResponse(value: unknown): Record<string, unknown> | undefined {
  const status = (value as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? { statusCode: status } : undefined;
}

// Only the places: the first lines of a stack repeat the message.
function stackOf(error: Error): string | undefined {
  const lines = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return lines === undefined ? undefined : cut(lines.map((line) => line.trim()).join('\n'));
}

function cut(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}
