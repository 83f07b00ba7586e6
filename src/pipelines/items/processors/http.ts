// The processor `http`: asks the tenant's own endpoint about each item, or about several at once. URL and body are templates over the item's columns, the
// answer becomes columns by JSON paths. The secret of its header is sealed; no private address is reached; 429 and 5xx slow it down, as Retry-After says.
import { z } from 'zod';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { checkOutboundUrl, type GuardedAnswer, guardedRequest } from '../../../outbound/guarded-request.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { sharedKey } from '../process/idempotency-key.ts';
import {
  defineProcessor,
  found,
  notFound,
  type Outcome,
  type ProcessContext,
  type ProcessedItem,
  type Processor,
  refused,
  retry,
} from './processor.ts';
import { fillBody, fillUrl, isPath, valueAt } from './template.ts';

const Path = z.string().max(300).refine(isPath, 'is not a path such as product.offers[0].price');
const Column = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'has small letters, digits and _'),
  title: z.string().min(1).max(100).optional(),
  type: z.enum(['text', 'number', 'date']).default('text'),
  path: Path,
});

const HttpOptions = z.strictObject({
  url: z.string().min(1).max(2_048).describe('May hold {{column}}; with batch, it is asked as it is.'),
  method: z.enum(['GET', 'POST', 'PUT']).default('GET'),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), z.string().max(1_000)).default({}),
  body: z
    .unknown()
    .optional()
    .describe('JSON whose strings may hold {{column}}, and {{idempotency_key}} for the key of the row.'),
  /** A header that nobody may read again, such as Authorization. */
  secret_header: z
    .strictObject({ name: z.string().regex(/^[A-Za-z0-9-]{1,64}$/), value: z.string().max(4_000) })
    .optional(),
  columns: z.array(Column).min(1).max(50),
  /** Without a value there the item is not found. */
  found_path: Path.optional(),
  per_second: z.number().positive().max(1_000).optional(),
  batch: z
    .strictObject({
      size: z.int().min(2).max(200),
      items_key: z.string().max(100).default('items'),
      answers_path: Path,
    })
    .optional()
    .describe('Several items in one request: a body {items_key: [body of each]}, and where the list of answers is.'),
});
type HttpOptions = z.infer<typeof HttpOptions>;

type Context = ProcessContext<HttpOptions>;
type Work = { readonly item: ProcessedItem; readonly context: Context };

export interface HttpDeps {
  readonly box: SecretBox;
  readonly allowPrivate: boolean;
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 1_048_576;
const SEALED = 'sealed:';
/** A place of templates that no column of the file has by itself: the key of the row. */
const KEY_PLACE = 'idempotency_key';

export function httpProcessor(deps: HttpDeps): Processor<HttpOptions> {
  return defineProcessor<HttpOptions>({
    name: 'http',
    version: 1,
    title: 'Ask an endpoint',
    options: HttpOptions,
    output: z.record(z.string(), z.unknown()),
    columns: [],
    columnsOf: ({ columns }) => columns.map(({ name, title, type }) => ({ name, title: title ?? name, type })),
    strategies: ['request'],
    limits: {
      key: ({ url }) => hostOf(url),
      perSecondOf: ({ per_second: perSecond }) => perSecond,
      batchOf: ({ batch }) => batch?.size ?? 1,
    },
    prepare(options, jobId) {
      checkOutboundUrl(options.url.replace(/\{\{[^{}]*\}\}/g, 'x'), deps.allowPrivate);
      const { secret_header: secret } = options;
      if (secret === undefined || secret.value.startsWith(SEALED)) return options;
      const sealed = `${SEALED}${deps.box.seal(jobId, secret.value).toString('base64')}`;
      return { ...options, secret_header: { ...secret, value: sealed } };
    },
    process: async (item, context) => (await askAll([{ item, context }], deps))[0] as Outcome,
    processBatch: (work) => askAll(work, deps),
  });
}

async function askAll(work: readonly Work[], deps: HttpDeps): Promise<Outcome[]> {
  const [first] = work;
  if (first === undefined) return [];
  if (first.context.options.batch === undefined) return Promise.all(work.map((each) => askOne(each, deps)));
  return askTogether(work, first.context, first.context.options.batch, deps);
}

async function askOne({ item, context }: Work, deps: HttpDeps): Promise<Outcome> {
  const { options } = context;
  const key = context.idempotencyKey;
  const value = (name: string) => valueIn(item, name, key);
  const url = fillUrl(options.url, value);
  const body = options.body === undefined ? undefined : JSON.stringify(fillBody(options.body, value));
  return settled(await ask(context, deps, url, body, key), context, (answer) => outcomeOf(answer, options));
}

async function askTogether(
  work: readonly Work[],
  context: Context,
  batch: NonNullable<HttpOptions['batch']>,
  deps: HttpDeps,
): Promise<Outcome[]> {
  const { options } = context;
  const bodies = work.map(({ item, context: { idempotencyKey: key } }) =>
    fillBody(options.body ?? item.cells, (name) => valueIn(item, name, key)),
  );
  const said = await ask(
    context,
    deps,
    options.url,
    JSON.stringify({ [batch.items_key]: bodies }),
    sharedKey(work.map((each) => each.context.idempotencyKey)),
  );
  const whole = settled(said, context, (answer) => found({ list: valueAt(answer, batch.answers_path) as never }));
  if (whole.kind !== 'found') return work.map(() => whole);
  const { list } = whole.result;
  if (!Array.isArray(list) || list.length !== work.length)
    return work.map(() =>
      refused(
        'processor_answer_invalid',
        `The endpoint gave ${Array.isArray(list) ? list.length : 'no'} answers for ${work.length} items.`,
      ),
    );
  return list.map((answer) => outcomeOf(answer, options));
}

function ask(
  context: Context,
  deps: HttpDeps,
  url: string,
  body: string | undefined,
  key: string,
): Promise<GuardedAnswer | MillraceError> {
  const { options, jobId, signal, tell } = context;
  const startedAt = performance.now();
  const secret = openSecret(options, jobId, deps.box);
  return guardedRequest({
    url,
    method: options.method,
    headers: {
      accept: 'application/json',
      'idempotency-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
      ...secret,
    },
    ...(body === undefined || options.method === 'GET' ? {} : { body }),
    timeoutMs: TIMEOUT_MS,
    allowPrivate: deps.allowPrivate,
    signal,
    maxTextBytes: MAX_ANSWER_BYTES,
  }).then(
    (answer) => {
      tell({ provider: hostOf(url), ms: answer.ms, outcome: String(answer.status) });
      return answer;
    },
    (error: unknown) => {
      if (!(error instanceof MillraceError)) throw error;
      tell({ provider: hostOf(url), ms: performance.now() - startedAt, outcome: error.code });
      return error;
    },
  );
}

/** What the status says of it; a 2xx is read as JSON. */
function settled(
  said: GuardedAnswer | MillraceError,
  { options }: Context,
  read: (answer: unknown) => Outcome,
): Outcome {
  if (said instanceof MillraceError) {
    if (said.kind === 'transient') return retry('transient', said.message, { code: said.code });
    return refused(said.code, said.message);
  }
  const { status, text, retryAfterMs } = said;
  const answer = { status };
  const later = retryAfterMs === undefined ? { answer } : { answer, afterMs: retryAfterMs };
  if (status === 404 || status === 410)
    return notFound({ answer, detail: `${hostOf(options.url)} answered ${status}.` });
  if (status === 429) return retry('rate_limited', `${hostOf(options.url)} answered 429.`, later);
  if (status >= 500 || status === 408) return retry('transient', `${hostOf(options.url)} answered ${status}.`, later);
  if (status < 200 || status >= 300)
    return refused('endpoint_refused', `${hostOf(options.url)} answered ${status}.`, answer);
  if (Buffer.byteLength(text) >= MAX_ANSWER_BYTES)
    return refused(
      'processor_answer_invalid',
      `${hostOf(options.url)} answered with ${MAX_ANSWER_BYTES / 1_048_576} MB or more.`,
      answer,
    );
  try {
    return read(JSON.parse(text));
  } catch {
    return refused(
      'processor_answer_invalid',
      `${hostOf(options.url)} answered ${status} with something that is not JSON.`,
      answer,
    );
  }
}

function outcomeOf(answer: unknown, { columns, found_path: path }: HttpOptions): Outcome {
  const isThere = (value: unknown) => value !== undefined && value !== null && value !== '' && value !== false;
  const result = Object.fromEntries(columns.map(({ name, path: at }) => [name, valueAt(answer, at) ?? null]));
  const hasAny = path === undefined ? Object.values(result).some(isThere) : isThere(valueAt(answer, path));
  return hasAny ? found(result) : notFound({ detail: 'The endpoint answered without a result.' });
}

function valueIn({ cells, fields }: ProcessedItem, name: string, key: string): string {
  return cells[name] ?? fields[name] ?? (name === KEY_PLACE ? key : '');
}

function openSecret({ secret_header: secret }: HttpOptions, jobId: string, box: SecretBox): Record<string, string> {
  if (secret === undefined) return {};
  if (!secret.value.startsWith(SEALED)) return { [secret.name]: secret.value };
  const value = box.open(jobId, Buffer.from(secret.value.slice(SEALED.length), 'base64'));
  if (value === undefined) throw new Error('its secret cannot be opened any more');
  return { [secret.name]: value };
}

function hostOf(url: string): string {
  const plain = url.replace(/\{\{[^{}]*\}\}/g, 'x');
  return URL.canParse(plain) ? new URL(plain).host : 'nowhere';
}
