// The smallest value a schema of the route table takes, for tests that are generated from the table and care about the route, not about
// what is carried through it.
import { z } from 'zod';

type Schema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
};

const formats: Readonly<Record<string, string>> = {
  uuid: '0190a7a0-0000-7000-8000-000000000001',
  'date-time': '2026-02-15T12:00:00.000Z',
  date: '2026-02-15',
  email: 'a@b.test',
  uri: 'https://example.com/x',
};

export function sampleOf(schema: z.ZodType, side: 'input' | 'output'): unknown {
  return sample(z.toJSONSchema(schema, { io: side, unrepresentable: 'any' }) as Schema);
}

function sample(schema: Schema): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return sample(choice.find(({ type }) => type === 'null') ?? (choice[0] as Schema));
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(sample));
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'string':
      return formats[schema.format ?? ''] ?? text(schema);
    case 'integer':
    case 'number':
      return schema.minimum ?? (schema.exclusiveMinimum === undefined ? 1 : schema.exclusiveMinimum + 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(schema.items ?? {}));
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]));
    default:
      return {};
  }
}

/** The first of a few that fits the pattern. */
function text({ pattern, minLength = 1 }: Schema): string {
  const tries = ['x'.repeat(Math.max(minLength, 1)), 'xxx', '1', '0 0 1 1 *', 'run.done', '2026-02-15', 'a_b'];
  return (pattern === undefined ? tries[0] : tries.find((each) => new RegExp(pattern).test(each))) ?? 'x';
}
