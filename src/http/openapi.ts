// The OpenAPI 3.1 document, made from the route table. Made once; src/contract/api/openapi.json is the committed copy that clients in
// other languages are generated from. An installation adds the routes of its own pipelines.
import { z } from 'zod';
import { ApiKey } from '../contract/api/api-keys.ts';
import { Me, Session } from '../contract/api/auth.ts';
import { Client } from '../contract/api/clients.ts';
import { Membership } from '../contract/api/memberships.ts';
import { AuditEntry, Lane, Schedule, Worker } from '../contract/api/operate.ts';
import { type OperationId, operations } from '../contract/api/operations.ts';
import { Pipeline } from '../contract/api/pipelines.ts';
import { Problem, problemMediaType } from '../contract/api/problem.ts';
import { Mapping, Reading, SavedMapping } from '../contract/api/reading.ts';
import { Receipt } from '../contract/api/receipt.ts';
import { Reject, RejectCluster } from '../contract/api/rejects.ts';
import type { Answer, RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import {
  Attempt,
  BulkAnswer,
  Run,
  RunDetail,
  RunEvent,
  RunLink,
  StageReport,
  Verification,
} from '../contract/api/runs.ts';
import { Sample } from '../contract/api/samples.ts';
import { Upload, UploadAnswer } from '../contract/api/uploads.ts';
import { User } from '../contract/api/users.ts';
import { type ErrorCode, entryOf } from '../contract/errors/catalogue.ts';
import { pipelineShapes } from '../contract/pipelines/routes.ts';
import { ownPath } from './own-route.ts';
import type { PipelinePartsByName } from './pipeline-parts.ts';

type Json = Record<string, unknown>;

const everyRoute: readonly ErrorCode[] = ['request_invalid', 'internal', 'overloaded'];
const signedInRoutes: readonly ErrorCode[] = ['unauthenticated', 'forbidden'];
let made: Json | undefined;

/** Shapes of answers that have a name of their own, so that generated clients have it too. */
const named = z.registry<{ id: string }>();
const shapes = {
  ApiKey,
  Attempt,
  AuditEntry,
  BulkAnswer,
  Client,
  Lane,
  Mapping,
  Me,
  Membership,
  Pipeline,
  Reading,
  Receipt,
  Reject,
  RejectCluster,
  Run,
  RunDetail,
  RunEvent,
  RunLink,
  Sample,
  SavedMapping,
  Schedule,
  Session,
  StageReport,
  Upload,
  UploadAnswer,
  User,
  Verification,
  Worker,
  ...pipelineShapes,
};
for (const [id, shape] of Object.entries(shapes)) named.add(shape, { id });

const components: Json = {};

export function openApiDocument(): Json {
  made ??= describe(pathsOf());
  return made;
}

/** With the routes of the pipelines that do not come with Millrace: what this installation answers. */
export function openApiOf(pipelines: PipelinePartsByName = {}): Json {
  const document = openApiDocument();
  const own = ownPathsOf(pipelines);
  if (Object.keys(own).length === 0) return document;
  const { paths, components: described } = document as { paths: Json; components: Json };
  return {
    ...document,
    paths: { ...paths, ...own },
    components: { ...described, schemas: { ...(described.schemas as Json), ...components } },
  };
}

function ownPathsOf(pipelines: PipelinePartsByName): Json {
  const paths: Record<string, Json> = {};
  for (const [pipeline, { routes: own = [] }] of Object.entries(pipelines)) {
    for (const { name, method, path, handle, ...spec } of own) {
      const template = templateOf(ownPath(pipeline, path));
      const operation = operationOf(`x.${pipeline}.${name}`, method, { tag: 'Pipelines', ...spec });
      paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
    }
  }
  return paths;
}

function describe(paths: Json): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version: '1',
      description:
        'Upload files, follow their runs, see and fix every refused row. Errors are RFC 9457 problem objects with a stable ' +
        '`code` and the next step. Lists are paged by an opaque cursor: pass `next` back as `after`. Every POST honours ' +
        '`Idempotency-Key`.',
    },
    servers: [{ url: '/' }],
    tags: tagsOf(),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A session token, or an API key (mrk_…).' },
        session: { type: 'apiKey', in: 'cookie', name: 'millrace_session' },
      },
      schemas: { Problem: schemaOf(Problem, 'output'), ...components },
    },
  };
}

function pathsOf(): Json {
  const paths: Record<string, Json> = {};
  for (const [operation, [method, path]] of Object.entries(operations) as [OperationId, readonly [string, string]][]) {
    const template = templateOf(path);
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(operation, method, routes[operation]) };
  }
  return paths;
}

function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function operationOf(operation: string, method: string, spec: RouteSpec): Json {
  const body = bodyOf(spec);
  const who = whoMay(spec);
  return {
    operationId: operation,
    tags: [spec.tag],
    summary: spec.summary,
    description: [spec.notes, who].filter(Boolean).join('\n\n'),
    parameters: [
      ...parametersOf(spec.params, 'path'),
      ...parametersOf(spec.query, 'query'),
      ...(method === 'POST' && spec.access.kind !== 'public' ? [idempotencyKey] : []),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: { [spec.answer.status]: successOf(spec.answer), ...problemsOf(spec) },
    security: spec.access.kind === 'public' ? [] : [{ bearer: [] }, { session: [] }],
  };
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repetition with the same key gets the first answer again and does nothing more.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

function bodyOf(spec: RouteSpec): Json | undefined {
  if (spec.body === undefined) return undefined;
  if (spec.bodyKind !== 'multipart') {
    const required = !spec.body.safeParse(undefined).success;
    return { required, content: { 'application/json': { schema: schemaOf(spec.body, 'input') } } };
  }
  const fields = schemaOf(spec.body, 'input');
  const properties = { ...(fields.properties as Json), file: { type: 'string', format: 'binary' } };
  return {
    required: true,
    content: {
      'multipart/form-data': { schema: { ...fields, properties, required: ['file'] } },
      ...(spec.jsonBody === undefined ? {} : { 'application/json': { schema: schemaOf(spec.jsonBody, 'input') } }),
    },
  };
}

function parametersOf(schema: z.ZodObject | undefined, where: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as Json;
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function successOf(answer: Answer): Json {
  if (answer.kind === 'json')
    return { description: 'Done.', content: { 'application/json': { schema: schemaOf(answer.schema, 'output') } } };
  if (answer.kind === 'file')
    return {
      description: 'The file.',
      content: { [answer.mediaType]: { schema: { type: 'string', format: 'binary' } } },
    };
  if (answer.kind === 'stream')
    return { description: 'A stream of events.', content: { 'text/event-stream': { schema: { type: 'string' } } } };
  return {
    description: answer.kind === 'socket' ? 'The connection becomes a WebSocket.' : 'Done; the answer has no body.',
  };
}

/** One entry per status, naming the codes that come with it. */
function problemsOf(spec: RouteSpec): Json {
  const own = spec.errors ?? [];
  const codes = [...everyRoute, ...(spec.access.kind === 'public' ? [] : signedInRoutes), ...own];
  const byStatus = groupByStatus(new Set(codes));
  const content = { [problemMediaType]: { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [String(status), { description: `\`${found.join('`, `')}\``, content }]),
  );
}

function groupByStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = entryOf(code);
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}

function whoMay({ access }: RouteSpec): string {
  if (access.kind === 'public') return 'Open to everyone.';
  const people = `Roles: ${access.roles.join(', ')}.`;
  if (access.openToKeys) return `${people} Any API key.`;
  return access.scope === null
    ? `${people} Not with an API key.`
    : `${people} API keys need the scope \`${access.scope}\`.`;
}

function tagsOf(): Json[] {
  return [...new Set(Object.values(routes).map((spec) => spec.tag))].map((name) => ({ name }));
}

/** Named shapes of an answer move to the components; what refers to them is pointed there. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => withoutNoise(jsonSchema),
    ...(io === 'output' ? { metadata: named } : {}),
  }) as Json;
  for (const [name, shape] of Object.entries(($defs ?? {}) as Json)) components[name] ??= pointed(shape);
  const { id } = rest;
  if (typeof id !== 'string') return pointed(rest) as Json;
  components[id] ??= pointed(rest);
  return { $ref: `#/components/schemas/${id}` };
}

function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, held]) => !(name === 'id' && typeof held === 'string' && held in shapes))
      .map(([name, held]) => [
        name,
        name === '$ref' && typeof held === 'string' ? held.replace('#/$defs/', '#/components/schemas/') : pointed(held),
      ]),
  );
}

/** A format says what its pattern would repeat, and every integer is bounded by what JSON can hold. */
function withoutNoise(schema: { format?: unknown; pattern?: unknown; minimum?: unknown; maximum?: unknown }): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
