// How one setting is declared: a zod schema that reads the text of an environment variable, registered with the name, the doc
// line, the unit and the default that docs/configuration.md shows. An empty variable counts as not set.
import { z } from 'zod';

export interface SettingInfo {
  readonly env: string;
  /** One or two sentences: what it does. */
  readonly doc: string;
  readonly unit?: string;
  /** As the docs show it: the value, or words when it is worked out. */
  readonly default: string;
  /** What values it takes, in words. */
  readonly takes: string;
  /** Never shown, logged or printed. */
  readonly secret?: boolean;
}

export const settingInfo = z.registry<SettingInfo>();

interface Declared {
  readonly doc: string;
  readonly unit?: string;
  readonly secret?: boolean;
  /** Words for a default that is worked out elsewhere. */
  readonly unset?: string;
}

type Info = Omit<SettingInfo, 'env' | 'doc' | 'takes' | 'default'> & Partial<Pick<SettingInfo, 'default'>>;

export function integer(
  env: string,
  options: Declared & { readonly min: number; readonly max: number; readonly default: number },
) {
  const { min, max } = options;
  const takes = `a whole number from ${min} to ${max}`;
  const schema = z
    .string()
    .regex(/^-?\d{1,15}$/, takes)
    .transform(Number)
    .refine((value) => value >= min && value <= max, takes)
    .default(options.default);
  return declare(schema, env, takes, options, { default: String(options.default) });
}

export function flag(env: string, options: Declared & { readonly default: boolean }) {
  const takes = 'true or false';
  const schema = z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false', '1', '0'], takes))
    .transform((value) => value === 'true' || value === '1')
    .default(options.default);
  return declare(schema, env, takes, options, { default: String(options.default) });
}

export function choice<const Values extends readonly [string, ...string[]]>(
  env: string,
  values: Values,
  options: Declared & { readonly default: Values[number] },
) {
  const takes = `one of ${values.join(', ')}`;
  const schema = z.enum(values, takes).default(options.default as never);
  return declare(schema, env, takes, options, { default: options.default });
}

export function text(env: string, options: Declared & { readonly default: string }) {
  const schema = z.string().default(options.default);
  return declare(schema, env, 'text', options, { default: options.default });
}

export function optionalText(
  env: string,
  options: Declared & { readonly takes?: string; readonly test?: (value: string) => boolean },
) {
  const takes = options.takes ?? 'text';
  const { test } = options;
  const schema = (test === undefined ? z.string() : z.string().refine(test, takes)).optional();
  return declare(schema, env, takes, options, {});
}

/** An address with one of the given schemes. */
export function optionalUrl(env: string, schemes: readonly string[], options: Declared) {
  const takes = `an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  return optionalText(env, { ...options, takes, test: (value) => isUrl(value, schemes) });
}

export function isUrl(value: string, schemes: readonly string[]): boolean {
  return URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1));
}

function declare<S extends z.ZodType>(schema: S, env: string, takes: string, declared: Declared, info: Info): S {
  settingInfo.add(schema, {
    env,
    doc: declared.doc,
    takes,
    default: info.default ?? declared.unset ?? 'not set',
    ...(declared.unit === undefined ? {} : { unit: declared.unit }),
    ...(declared.secret === undefined ? {} : { secret: declared.secret }),
  });
  return schema;
}
