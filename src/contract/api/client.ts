// A typed client for the HTTP API on plain fetch, for the console, the CLI and tests. Types come from the route table (type-only
// imports, so no zod reaches a browser bundle); method and path from operations.ts. A refusal is thrown as ApiError with the
// server's problem object.
import type { z } from 'zod';
import { type Method, type OperationId, operations } from './operations.ts';
import type { Problem } from './problem.ts';
import type { Routes } from './routes.ts';

type Field<Op extends OperationId, Key extends string> =
  Routes[Op] extends Record<Key, infer S extends z.ZodType> ? S : never;
type InputOf<S> = S extends z.ZodType ? z.input<S> : never;

type ParamsOf<Op extends OperationId> = [Field<Op, 'params'>] extends [never]
  ? { params?: never }
  : { params: InputOf<Field<Op, 'params'>> };
type QueryOf<Op extends OperationId> = [Field<Op, 'query'>] extends [never]
  ? { query?: never }
  : Record<never, never> extends InputOf<Field<Op, 'query'>>
    ? { query?: InputOf<Field<Op, 'query'>> }
    : { query: InputOf<Field<Op, 'query'>> };
type BodyOf<Op extends OperationId> = Routes[Op] extends { bodyKind: 'multipart' }
  ? { body: FormData }
  : [Field<Op, 'body'>] extends [never]
    ? { body?: never }
    : undefined extends InputOf<Field<Op, 'body'>>
      ? { body?: InputOf<Field<Op, 'body'>> }
      : { body: InputOf<Field<Op, 'body'>> };

export type CallArgs<Op extends OperationId> = ParamsOf<Op> &
  QueryOf<Op> &
  BodyOf<Op> & { signal?: AbortSignal; idempotencyKey?: string };

/** What a call resolves to: parsed JSON, nothing, or the raw Response for files and streams. */
export type AnswerOf<Op extends OperationId> = Routes[Op]['answer'] extends { kind: 'json'; schema: infer S }
  ? S extends z.ZodType
    ? z.output<S>
    : never
  : Routes[Op]['answer'] extends { kind: 'empty' }
    ? undefined
    : Response;

type Arguments<Op extends OperationId> =
  Record<never, never> extends CallArgs<Op> ? [args?: CallArgs<Op>] : [args: CallArgs<Op>];

export interface ClientOptions {
  /** Default: the page's own origin. */
  readonly baseUrl?: string;
  /** A token or API key, or a function that gives the current one. Leave out in a browser that uses the cookie. */
  readonly token?: string | (() => string | undefined);
  readonly fetch?: typeof fetch;
  /** Added to every request, for example Millrace-Tenant. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Client = <Op extends OperationId>(operation: Op, ...args: Arguments<Op>) => Promise<AnswerOf<Op>>;

export class ApiError extends Error {
  readonly problem: Problem;
  /** Seconds the server asked to wait, when it did. */
  readonly retryAfterS: number | undefined;

  constructor(problem: Problem, retryAfterS?: number) {
    super(problem.detail);
    this.name = 'ApiError';
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }
}

interface LooseArgs {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

/** A request to a route that the route table does not have: one that a pipeline of your own declares. The path holds the query, if any. */
export type ApiRequest = (
  method: Method,
  path: string,
  args?: Pick<LooseArgs, 'body' | 'signal' | 'idempotencyKey'>,
) => Promise<unknown>;

export function createRequest(options: ClientOptions = {}): ApiRequest {
  const send = options.fetch ?? fetch;
  const base = (options.baseUrl ?? '').replace(/\/$/, '');
  return async (method, path, args = {}) => {
    const init: RequestInit = { method, headers: requestHeaders(options, args) };
    if (args.signal) init.signal = args.signal;
    if (args.body instanceof FormData) init.body = args.body;
    else if (args.body !== undefined) init.body = JSON.stringify(args.body);
    return readAnswer(await send(`${base}${path}`, init));
  };
}

export function createClient(options: ClientOptions = {}): Client {
  const request = createRequest(options);
  return ((operation: OperationId, args: LooseArgs = {}) =>
    request(operations[operation][0], urlOf(operation, args), args)) as Client;
}

/** The address of an operation, for links, EventSource and WebSocket. */
export function urlOf(operation: OperationId, args: Pick<LooseArgs, 'params' | 'query'> = {}, baseUrl = ''): string {
  const path = operations[operation][1].replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(args.params?.[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args.query ?? {}))
    if (value !== undefined && value !== null) query.set(name, String(value));
  const text = query.toString();
  return `${baseUrl.replace(/\/$/, '')}${path}${text ? `?${text}` : ''}`;
}

function requestHeaders(options: ClientOptions, args: LooseArgs): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5', ...options.headers };
  const token = typeof options.token === 'function' ? options.token() : options.token;
  if (token) headers.authorization = `Bearer ${token}`;
  if (args.body !== undefined && !(args.body instanceof FormData)) headers['content-type'] = 'application/json';
  if (args.idempotencyKey) headers['idempotency-key'] = args.idempotencyKey;
  return headers;
}

async function readAnswer(response: Response): Promise<unknown> {
  if (!response.ok) throw await refusal(response);
  if (response.status === 204) return undefined;
  const type = response.headers.get('content-type') ?? '';
  const attached = response.headers.has('content-disposition');
  return type.startsWith('application/json') && !attached ? response.json() : response;
}

async function refusal(response: Response): Promise<ApiError> {
  const wait = Number(response.headers.get('retry-after'));
  const retryAfterS = Number.isFinite(wait) && wait > 0 ? wait : undefined;
  const body: unknown = await response.json().catch(() => undefined);
  if (isProblem(body)) return new ApiError(body, retryAfterS);
  return new ApiError(
    {
      type: 'about:blank',
      title: response.statusText || 'No answer',
      status: response.status,
      detail: `The server answered ${response.status} without a reason.`,
      code: 'internal',
      next: 'Try again; check that the address is that of a Millrace server.',
      instance: new URL(response.url || 'http://unknown/').pathname,
      correlation_id: response.headers.get('x-correlation-id') ?? '',
    },
    retryAfterS,
  );
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}
