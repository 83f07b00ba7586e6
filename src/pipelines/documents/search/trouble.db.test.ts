// What a question meets while something else is slow, down or lying: a clear answer within its time, never a hang.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser } from '../../../../test/support/api.ts';
import { useDocuments } from '../../../../test/support/documents.ts';
import { wordEmbedder } from '../../../../test/support/documents-deps.ts';
import { QuestionEmbedders } from './embed-question.ts';
import { openSearch } from './search-deps.ts';

const words = wordEmbedder();
const never = new Promise<never>(() => {});
/** What the provider does next; corrected after each test. */
const provider: { held: Promise<void> | undefined; loading: Promise<void> | undefined; lie: unknown } = {
  held: undefined,
  loading: undefined,
  lie: undefined,
};
const embedder = {
  ...words,
  load: async () => provider.loading,
  async embed(texts: readonly string[]) {
    await provider.held;
    const vectors = await words.embed(texts);
    return (provider.lie ?? vectors) as Float32Array[];
  },
};
const TIMEOUT_MS = 1_500;
const search = { ...openSearch(embedder) };
const bench = useDocuments({ embedder, search });
let user: TestUser;

beforeAll(async () => {
  user = await buildUser(bench.db, bench.admin.tenantId, 'user');
  await bench.ingest('# Gate\n\nVisitors sign the book at the gate. A visitor wears a yellow badge.\n', 'gate.md', {
    fields: { title: 'Gate' },
  });
  await bench.db.admin.query(`update embedding_models set abstain_below = 0.6`);
});
afterEach(() => {
  Object.assign(provider, { held: undefined, loading: undefined, lie: undefined });
});
/** One that has not failed before: after a failure questions rest from asking the provider. */
const freshProvider = () => Object.assign(search, { questions: new QuestionEmbedders([embedder], TIMEOUT_MS) });

const question = 'What does a visitor wear at the gate?';
// biome-ignore lint/suspicious/noExplicitAny: the answer as JSON
async function ask(as: TestUser = user): Promise<any> {
  const answer = await bench.api.call('search.ask', { as, body: { question } });
  return { http: answer.statusCode, ...answer.json() };
}

describe('a document that is still being read', () => {
  it('is not found, the refusal says that it is on its way, and it is found once it is served', async () => {
    const own = await buildUser(bench.db, await buildTenant(bench.db), 'admin');
    let goOn = () => {};
    provider.held = new Promise((resolve) => {
      goOn = resolve;
    });
    const taken = await bench.upload('A visitor wears a blue badge at the gate.', 'blue.txt', { as: own });
    const before = await ask(own);
    const found = await bench.api.call('search.run', { as: own, body: { query: 'badge', mode: 'lexical' } });
    expect([before.status, before.reason.code]).toEqual(['abstained', 'no_documents']);
    for (const said of [before.why.said, found.json().why.said])
      expect(said.join(' ')).toContain('One document is still being read');
    goOn();
    await bench.ended(taken.body.run_id ?? '', own.tenantId);
    await bench.db.admin.query(`update embedding_models set abstain_below = 0.6`);
    const after = await ask(own);
    expect([after.status, after.why.said.join(' ')]).toEqual(['answered', expect.not.stringContaining('being read')]);
  });
});

describe('the embedding provider', () => {
  it('that loads its model is waited for, longer than an answer may take', async () => {
    freshProvider();
    let loaded = () => {};
    provider.loading = new Promise((resolve) => {
      loaded = resolve;
    });
    setTimeout(loaded, TIMEOUT_MS * 2);
    const answer = await ask();
    expect([answer.status, answer.why.mode]).toEqual(['answered', 'hybrid']);
  });

  it('that never answers costs the question its limit: words alone decide, and why says so', async () => {
    freshProvider();
    provider.held = never;
    const answer = await ask();
    expect([answer.http, answer.why.mode]).toEqual([200, 'lexical']);
    expect(answer.why.said[0]).toContain('it did not answer in time');
    expect(answer.evidence[0].title).toBe('Gate');
  });

  it.each([
    ['too few vectors', []],
    ['vectors of another length', [new Float32Array(3).fill(0.5)]],
    ['no numbers', [new Float32Array(256).fill(Number.NaN)]],
    ['no vector at all', 'none'],
  ])('that lies with %s is not believed: words alone decide', async (_, lie) => {
    freshProvider();
    provider.lie = lie;
    const answer = await ask();
    expect([answer.http, answer.why.mode]).toEqual([200, 'lexical']);
    expect(answer.why.said[0]).toContain('Found by words only');
    expect(JSON.stringify(answer)).not.toContain('NaN');
  });

  it('that fails on the sentences alone leaves the judgement to the words, and why says so', async () => {
    freshProvider();
    await bench.api.call('search.run', { as: user, body: { query: question } });
    provider.held = never;
    const answer = await ask();
    expect([answer.http, answer.confidence.measured_for]).toEqual([200, 'words']);
    expect(answer.why.said.join(' ')).toContain('No sentence was compared');
  });
});

it('a database that takes longer than it may ends a question with a catalogued error', async () => {
  freshProvider();
  const client = await bench.db.admin.connect();
  try {
    await client.query('begin');
    await client.query('lock table chunk_terms in access exclusive mode');
    Object.assign(search, { statementTimeoutMs: 200 });
    const answer = await ask();
    expect([answer.http, answer.code]).toEqual([504, 'statement_cancelled']);
  } finally {
    Object.assign(search, { statementTimeoutMs: 10_000 });
    await client.query('rollback');
    client.release();
  }
});
