// compose.yaml with its overrides, as `docker compose -f … -f …` puts them together, and variables filled in as it does: ${NAME}, ${NAME:-else},
// ${NAME:?}. Only what our files use.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface ComposeService {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly expose?: readonly string[];
  readonly volumes?: readonly string[];
  readonly network_mode?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

export interface Composed {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

type Tree = { readonly [key: string]: unknown };

function readCompose(files: readonly string[], variables: Readonly<Record<string, string>>): Composed {
  const trees = files.map((file) => {
    const text = readFileSync(path.join(repository, file), 'utf8');
    const resetTag = { tag: '!reset', collection: 'seq' as const, resolve: () => undefined };
    return parse(interpolate(text, variables), { merge: true, customTags: [resetTag] }) as Tree;
  });
  return trees.reduce((base, over) => mergeTrees(base, over)) as unknown as Composed;
}

function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{([A-Z_]+)(:[-?])?([^}]*)\}/g, (_, name: string, rule: string | undefined, rest: string) => {
    const value = variables[name];
    if (value !== undefined && value !== '') return value;
    if (rule === ':-') return rest;
    throw new Error(`${name} is not set`);
  });
}

/** Maps are merged, everything else is replaced; what was reset is gone. */
function mergeTrees(base: Tree, over: Tree): Tree {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = base[key];
    merged[key] = isTree(before) && isTree(value) ? mergeTrees(before, value) : value;
  }
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const secret = (letter: string) => letter.repeat(44);
/** What an operator puts into .env. */
const composeVariables = {
  POSTGRES_PASSWORD: 'owner-password',
  MILLRACE_DB_PASSWORD: 'app-password',
  INGEST_DB_PASSWORD: 'ingest-password',
  JWT_SECRET: secret('j'),
  CONNECTOR_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  INTERNAL_AUTH_TOKEN: secret('t'),
  SQS_QUEUE_URL: 'http://queue:4566/000000000000/ingest_jobs',
  SQS_DLQ_URL: 'http://queue:4566/000000000000/ingest_dead',
  SQS_REGION: 'us-east-1',
  SQS_ACCESS_KEY_ID: 'test',
  SQS_SECRET_ACCESS_KEY: 'test-secret',
};

export const composeVariants = {
  ledger: ['compose.yaml'],
  http: ['compose.yaml', 'compose.http.yaml'],
  queue: ['compose.yaml', 'compose.queue.yaml'],
  development: ['compose.yaml', 'compose.dev.yaml'],
} as const;

export type ComposeVariant = keyof typeof composeVariants;

export const compose = (variant: ComposeVariant): Composed => readCompose(composeVariants[variant], composeVariables);
