// Every command of search and of the change of models, as people type them: the built product, its own model, and a second one over HTTP.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeEmbeddings, startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { OTHER_DIMS, OTHER_MODEL } from '../support/other-model.ts';
import { waitFor } from '../support/wait-for.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace, startServer } from './millrace-process.ts';

const folder = makeHome();
let database: InstallationDatabase;
let service: FakeEmbeddings;
let env: Record<string, string>;

const policy = `# Retention

Signed contracts are kept for ten years after they end. Visitor badges are destroyed after thirty days.

# Gate

Visitors sign the book at the gate. A visitor wears a yellow badge.
`;
const bread = `# Rye bread

Mix rye flour with water and salt. The dough rests for eighteen hours in a warm place. Bake it for an hour.
`;

async function run(...args: string[]) {
  return millrace(args, env);
}
async function json<T>(...args: string[]): Promise<T> {
  const ended = await run(...args, '--json');
  expect(ended.stderr).toBe('');
  return JSON.parse(ended.stdout) as T;
}
function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

beforeAll(async () => {
  database = await createDatabase();
  service = await startFakeEmbeddings(OTHER_DIMS);
  const other = { provider: 'http', model: 'other', dim: OTHER_DIMS, url: service.url, api: 'openai' };
  env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    SHUTDOWN_GRACE_SECONDS: '3',
    SEARCH_EMBEDDING_TIMEOUT_MS: '120000',
    EMBEDDING_MODELS: JSON.stringify([other]),
  };
  for (const [name, text] of [
    ['policy.md', policy],
    ['bread.md', bread],
  ] as const) {
    const made = await run('documents', 'upload', write(name, text), '--watch');
    expect(made, made.stderr).toMatchObject({ code: 0 });
  }
});
afterAll(async () => {
  await cleanUp();
  await service.close();
  await database.drop();
});

describe('millrace search', () => {
  it('says where the words stand, and holds phrases, excluded words and filters', async () => {
    const found = await run('search', 'yellow', 'badge');
    expect([found.code, found.stdout]).toEqual([
      0,
      expect.stringMatching(/^1\. policy\.md, section \d \(words: rank 1/m),
    ]);
    expect((await run('search', '"badge yellow"')).stdout).toContain('Nothing was found.');
    expect((await run('search', 'dough', '--', '-rye')).stdout).not.toContain('bread.md');
    const filtered = await json<{ hits: unknown[]; why: { searched: object } }>('search', 'dough', '--type', 'pdf');
    expect([filtered.hits, filtered.why.searched]).toEqual([[], { documents: 0, chunks: 0 }]);
  });
});

describe('millrace ask', () => {
  it('answers with the page of each sentence; without an answer it names what is missing and ends with 4', async () => {
    const answered = await run('ask', 'How long are signed contracts kept?');
    expect([answered.code, answered.stderr]).toEqual([0, '']);
    expect(answered.stdout).toMatch(/ten years after they end\. \[1\]/);
    expect(answered.stdout).toMatch(/\[1\] policy\.md, section \d, version 1/);
    const refused = await run('ask', 'How long is the warranty of the beverage dispenser?');
    expect([refused.code, refused.stdout]).toEqual([4, expect.stringContaining('nothing on')]);
    expect(refused.stdout).not.toMatch(/"(?:How|long|is|the|of)"/);
  });
});

describe('millrace eval', () => {
  it('says how often the document was found, and names the questions that went wrong by their line', async () => {
    const file = write(
      'questions.csv',
      'question,document\n"How long are signed contracts kept?",policy.md\nHow long does the dough rest?,bread.md\n' +
        'Which orbit has the second moon of Mars?,\n"What does a visitor wear,\nat the gate?",badges.md\n',
    );
    const told = await run('eval', file);
    expect([told.code, told.stderr]).toEqual([0, '']);
    expect(told.stdout).toMatch(/questions\s+4/);
    expect(told.stdout).toMatch(/rightly refused percent\s+100/);
    expect(told.stdout).toMatch(/^ {2}5: .*expected badges\.md: What does a visitor wear/m);
    const figures = await json<Record<string, unknown>>('eval', file);
    expect(figures).toMatchObject({
      questions: 4,
      wrongly_refused_percent: 0,
      rightly_refused_percent: 100,
      results: [
        { rank: 1, status: 'answered' },
        { rank: 1 },
        { rank: null, status: 'abstained' },
        { rank: null, status: 'answered' },
      ],
    });
  });

  it('names what is wrong with the file', async () => {
    const [missing, headless] = [
      await run('eval', path.join(folder, 'none.csv')),
      await run('eval', write('x.csv', 'a,b\n1,2\n')),
    ];
    expect([missing.code, headless.code]).toEqual([expect.any(Number), expect.any(Number)]);
    expect([missing.code === 0, headless.code === 0]).toEqual([false, false]);
    expect(headless.stderr).toContain('it has no column "question"');
    expect(missing.stderr).toContain('none.csv');
  });
});

describe('millrace models', () => {
  it('adds, compares, activates, rolls back and retires a model, while questions are answered', async () => {
    const server = await startServer(env);
    const states = async () =>
      Object.fromEntries(
        (await json<{ model_id: string; state: string }[]>('models', 'list')).map((each) => [
          each.model_id,
          each.state,
        ]),
      );
    const [active] = Object.entries(await states()).filter(([, state]) => state === 'active');
    expect((await run('models', 'add', OTHER_MODEL)).stdout).toContain(`Model ${OTHER_MODEL} is`);
    // Looked up in the database: a command for each look would cost more than the vectors.
    const ready = () =>
      database.query(
        `select from embedding_models where model_id = $1 and state = 'ready' and not is_due and build_version is null`,
        [OTHER_MODEL],
      );
    await waitFor(async () => (await ready()).length === 1, { what: 'the vectors of the new model', everyMs: 50 });
    expect(await states()).toMatchObject({ [OTHER_MODEL]: 'ready' });
    const compared = await run('models', 'compare', OTHER_MODEL, '--question', 'Who signs the book?');
    expect([compared.code, compared.stdout]).toEqual([0, expect.stringContaining('1 questions given: overlap')]);
    expect((await run('models', 'activate', OTHER_MODEL)).stdout).toContain('Questions are asked with');
    expect(await json<object>('search', 'badge')).toMatchObject({ why: { model: OTHER_MODEL } });
    expect((await run('models', 'rollback')).stdout).toContain(active?.[0]);
    expect(await json<object>('search', 'badge')).toMatchObject({ why: { model: active?.[0] } });
    expect((await run('models', 'retire', OTHER_MODEL)).stdout).toContain('is retired');
    expect(await states()).toMatchObject({ [OTHER_MODEL]: 'retired' });
    await server.end();
  });
});
