// The OpenAPI 3.1 document, made from the route table alone. Made once; src/contract/api/openapi.json is the committed copy that
// clients in other languages are generated from.
import { z } from 'zod';
import { type OperationId, operations } from '../contract/api/operations.ts';
import { Problem, problemMediaType } from '../contract/api/problem.ts';
import type { Answer, RouteSpec } from '../contract/api/route.ts';
import { routes } from '../contract/api/routes.ts';
import { type ErrorCode, entryOf } from '../contract/errors/catalogue.ts';

type Json = Record<string, unknown>;

const everyRoute: readonly ErrorCode[] = ['request_invalid', 'internal', 'overloaded'];
const signedInRoutes: readonly ErrorCode[] = ['unauthenticated', 'forbidden'];
let made: Json | undefined;

export function openApiDocument(): Json {
  made ??= {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version: '1',
      description:
        'Hand in files, follow their runs, see and fix every refused row. Errors are RFC 9457 problem objects with a stable ' +
        '`code` and the next step. Lists are paged by an opaque cursor: pass `next` back as `after`. Every POST honours ' +
        '`Idempotency-Key`.',
    },
    servers: [{ url: '/' }],
    tags: tagsOf(),
    paths: pathsOf(),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A session token, or an API key (mrk_…).' },
        session: { type: 'apiKey', in: 'cookie', name: 'millrace_session' },
      },
      schemas: { Problem: schemaOf(Problem, 'output') },
    },
  };
  return made;
}

function pathsOf(): Json {
  const paths: Record<string, Json> = {};
  for (const [operation, [method, path]] of Object.entries(operations) as [OperationId, readonly [string, string]][]) {
    const template = path.replace(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(operation, method, routes[operation]) };
  }
  return paths;
}

function operationOf(operation: OperationId, method: string, spec: RouteSpec): Json {
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
    content: { 'multipart/form-data': { schema: { ...fields, properties, required: ['file'] } } },
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
  return { description: answer.kind === 'socket' ? 'The connection becomes a WebSocket.' : 'Done; nothing to say.' };
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

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' }) as Json;
  return rest;
}
