// What is searched: the active documents that the filters leave, in search and in ask alike, from the next query on.
import { beforeEach, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser } from '../../../../test/support/api.ts';
import { useDocuments } from '../../../../test/support/documents.ts';
import { uuidv7 } from '../../../platform/ids.ts';

const bench = useDocuments();
let user: TestUser;
let admin: TestUser;

beforeEach(async () => {
  const tenantId = await buildTenant(bench.db);
  admin = await buildUser(bench.db, tenantId, 'admin');
  user = await buildUser(bench.db, tenantId, 'user');
});

// biome-ignore lint/suspicious/noExplicitAny: the answer as JSON
type Json = any;
const ingest = async (text: string, name: string, title = name) =>
  (await bench.ingest(text, name, { as: admin, fields: { title } })).docId;
const search = async (query: string, more: Record<string, unknown> = {}): Promise<Json> =>
  (await bench.api.call('search.run', { as: user, body: { query, mode: 'lexical', ...more } })).json();
const ask = async (question: string, more: Record<string, unknown> = {}): Promise<Json> =>
  (await bench.api.call('search.ask', { as: user, body: { question, ...more } })).json();
const titles = (hits: { title: string }[]) => [...new Set(hits.map(({ title }) => title))].sort();
/** As it would be measured for this model. */
const setBar = (below = 0.6) =>
  bench.db.admin.query(`update embedding_models set abstain_below = $2 where tenant_id = $1`, [admin.tenantId, below]);

const boilers = 'The boiler in the basement is inspected every spring. Its valve opens at six bar.\n';
const lifts = 'The lift in the tower is inspected every autumn. Its valve is closed by a plumber.\n';

describe('a deactivated document', () => {
  it('is gone from the next query on, in search and in ask, and back when it is active again', async () => {
    const docId = await ingest(boilers, 'boilers.txt');
    await ingest(lifts, 'lifts.txt');
    await setBar();
    const question = 'When is the boiler in the basement inspected?';
    const look = async () => {
      const [found, answer] = [await search('boiler'), await ask(question)];
      const cited = answer.citations.map(({ title }: { title: string }) => title);
      return [
        titles(found.hits),
        found.why.searched.documents,
        titles(answer.evidence).length,
        cited.includes('boilers.txt'),
      ];
    };
    const before = await look();
    expect(before).toEqual([['boilers.txt'], 2, 2, true]);
    const params = { doc_id: docId };
    await bench.api.call('documents.deactivate', { as: admin, params, body: {} });
    expect(await look()).toEqual([[], 1, 1, false]);
    await bench.api.call('documents.reactivate', { as: admin, params, body: {} });
    expect(await look()).toEqual(before);
  });
});

describe('filters by document and by source', () => {
  const sourceId = uuidv7();

  it('hold in search and in ask', async () => {
    const boilerId = await ingest(boilers, 'boilers.txt');
    await ingest(lifts, 'lifts.txt');
    await setBar();
    await bench.db.admin.query(
      `insert into ingestion_sources (source_id, tenant_id, name, kind, place, pipeline)
       values ($1, $2, 'tower', 'folder', '{}', 'documents')`,
      [sourceId, admin.tenantId],
    );
    await bench.db.admin.query(
      `insert into source_objects (tenant_id, source_id, key, status, bytes, mark, source_uri)
       select tenant_id, $2, 'lifts.txt', 'live', 1, 'm', source_uri from documents where tenant_id = $1 and title = 'lifts.txt'`,
      [admin.tenantId, sourceId],
    );
    for (const [filters, left] of [
      [{ doc_id: [boilerId] }, ['boilers.txt']],
      [{ source_id: sourceId }, ['lifts.txt']],
      [{ source_id: sourceId, doc_id: [boilerId] }, []],
      [{ source_id: uuidv7() }, []],
      [{}, ['boilers.txt', 'lifts.txt']],
    ] as const) {
      expect(titles((await search('valve', { filters })).hits)).toEqual(left);
      expect(titles((await search('valve', { filters, mode: 'hybrid' })).hits)).toEqual(left);
      const answer = await ask('Where is the valve inspected?', { filters });
      expect(titles(answer.evidence)).toEqual(left);
      expect(answer.why.searched.documents).toBe(left.length);
    }
  });
});

describe('grouped by document', () => {
  it('each document is there once, by its best chunk, with its next best beside it', async () => {
    const chapter = (no: number, text: string) => `# Part ${no}\n\n${`${text} `.repeat(60)}\n\n`;
    await ingest(
      chapter(1, 'The turbine turns in the river all year.') +
        chapter(2, 'A turbine is oiled by hand every week.') +
        chapter(3, 'Nobody may enter while the turbine turns.'),
      'turbines.md',
    );
    await ingest('# Rivers\n\nOne turbine stands in the river.\n', 'rivers.md');
    const all = await search('turbine', { limit: 10 });
    const grouped = await search('turbine', { limit: 10, group: 'document' });
    expect(all.hits.length).toBeGreaterThan(2);
    expect(grouped.hits.map(({ title }: { title: string }) => title).sort()).toEqual(['rivers.md', 'turbines.md']);
    const turbines = grouped.hits.find(({ title }: { title: string }) => title === 'turbines.md');
    const chunks = all.hits.filter(({ title }: { title: string }) => title === 'turbines.md');
    expect([turbines.chunk_id, ...turbines.also.map(({ chunk_id: id }: { chunk_id: string }) => id)]).toEqual(
      chunks.map(({ chunk_id: id }: { chunk_id: string }) => id),
    );
  });
});

describe('a word', () => {
  it('weighs what all its forms weigh together: a note whose language nobody can tell is not found first for that', async () => {
    for (const no of [1, 2, 3, 4, 5])
      await ingest(
        `The inspections of the boilers are made by the engineers of the house, and they write what they have seen in book ${no}.\n`,
        `house-${no}.txt`,
      );
    await ingest('inspections\n', 'note.txt');
    const { rows } = await bench.db.admin.query(
      `select distinct search_config from document_versions where tenant_id = $1`,
      [admin.tenantId],
    );
    expect(rows).toHaveLength(2);
    const { why } = await search('inspections');
    expect(why.words).toMatchObject([{ word: 'inspections', chunks: 6 }]);
  });
});

describe('an answer in quotes', () => {
  it('is what stands below the heading that names what is asked, never the heading alone', async () => {
    await ingest(
      '# Manual\n\n## Incremental backups with rsync\n\nEvery night what has changed is copied, and the rest is linked to the night before.\n',
      'manual.md',
    );
    await setBar(0.1);
    const { status, sentences } = await ask('How are incremental backups with rsync made?');
    expect(status).toBe('answered');
    const said = sentences.map(({ text }: { text: string }) => text);
    expect(said.join(' ')).toContain('Every night what has changed is copied');
    expect(said).not.toContain('Incremental backups with rsync');
  });

  it('goes on with the sentence that leans on the best one', async () => {
    await ingest(
      'The sticky bit is a right of a directory. It keeps everybody but their owner from deleting files. Lunch is at noon.\n',
      'rights.txt',
    );
    await setBar(0.1);
    const { answer } = await ask('What is the sticky bit of a directory?');
    expect(answer).toBe(
      'The sticky bit is a right of a directory. [1] It keeps everybody but their owner from deleting files. [2]',
    );
  });
});
