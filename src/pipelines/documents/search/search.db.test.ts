// Searching and asking through the API, on documents that came in through it.
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTenant, buildUser, type TestUser } from '../../../../test/support/api.ts';
import { useDocuments } from '../../../../test/support/documents.ts';

const bench = useDocuments();
let user: TestUser;

const policy = `# Security policy

## Passwords

Passwords have at least fourteen characters. They are changed when somebody else may know them.
Nobody writes a password on paper or in a log.

## Visitors

Visitors sign the book at the gate. A visitor wears a yellow badge and is never alone in the server room.
`;
const recipe = `# Rye bread

Mix rye flour with water and salt. The dough rests for eighteen hours in a warm place.
Bake it for an hour at two hundred degrees. Rye bread keeps for two weeks.
`;
const german = `# Betriebsordnung

Die Mitarbeiter tragen in den Hallen der Fabrik einen Helm und die Schuhe mit der Kappe aus Stahl. Wer in der Halle ist und den Helm nicht trägt,
wird von dem Meister nach Hause geschickt. Die Pausen sind um neun und um zwölf und die Kantine ist in dem Haus an der Straße für alle offen.
`;
const chinese = `# 安全手册

员工必须每天检查灭火器。会议室在三楼。访客需要在前台登记。
`;

async function search(body: Record<string, unknown>, as: TestUser = user) {
  const answer = await bench.api.call('search.run', { as, body });
  return { status: answer.statusCode, body: answer.json() };
}
const titles = (found: { body: { hits: { title: string }[] } }) => found.body.hits.map(({ title }) => title);
const lexical = (query: string, more: Record<string, unknown> = {}) => search({ query, mode: 'lexical', ...more });

beforeAll(async () => {
  user = await buildUser(bench.db, bench.admin.tenantId, 'user');
  for (const [text, name, tags] of [
    [policy, 'policy.md', 'rules,office'],
    [recipe, 'recipe.md', 'food'],
    [german, 'ordnung.md', 'rules'],
    [chinese, 'safety.txt', ''],
  ] as const)
    await bench.ingest(text, name, { fields: { title: name, ...(tags === '' ? {} : { tags }) } });
});

describe('words', () => {
  it('find the chunk in any of their forms, in the language of the document', async () => {
    expect(titles(await lexical('password'))).toEqual(['policy.md']);
    expect(titles(await lexical('baking breads'))).toEqual(['recipe.md']);
    expect(titles(await lexical('Helme'))).toEqual(['ordnung.md']);
    expect(titles(await lexical('灭火器'))).toEqual(['safety.txt']);
  });

  it('of ideographs are pairs: each is found or missed by itself, and marked where it stands', async () => {
    const { body } = await lexical('会议室密码');
    const chunks = Object.fromEntries(
      body.why.words.map(({ word, chunks }: { word: string; chunks: number }) => [word, chunks]),
    );
    expect(chunks).toEqual({ 会议: 1, 议室: 1, 室密: 0, 密码: 0 });
    expect(body.why.said).toContain('No document has "室密码".');
    const [{ text, highlights }] = body.hits;
    expect(highlights.map(({ start, end }: { start: number; end: number }) => text.slice(start, end))).toEqual([
      '会议室',
    ]);
    expect(titles(await lexical('"会议室在三楼"'))).toEqual(['safety.txt']);
    expect(titles(await lexical('"三楼会议室"'))).toEqual([]);
  });

  it('a phrase must stand there, an excluded word must not', async () => {
    expect(titles(await lexical('"yellow badge"'))).toEqual(['policy.md']);
    expect(titles(await lexical('"badge yellow"'))).toEqual([]);
    expect(titles(await lexical('hours bread -rye'))).toEqual([]);
    expect(titles(await lexical('hours bread -wheat'))).toEqual(['recipe.md']);
  });

  it('a slip is read as the nearest word, and why says so', async () => {
    const found = await lexical('pasword vistors');
    expect(titles(found)).toEqual(['policy.md']);
    expect(found.body.why.said.join(' ')).toContain('"pasword"');
  });

  it('a hit says where it stands and why it was found', async () => {
    const { body } = await lexical('visitor badge');
    const [hit] = body.hits;
    expect([hit.page, hit.ranks.lexical, hit.scores.lexical > 0, hit.heading_path[0]]).toEqual([
      expect.any(Number),
      1,
      true,
      'Security policy',
    ]);
    const marked = hit.highlights.map(({ start, end }: { start: number; end: number }) => hit.text.slice(start, end));
    expect(marked).toEqual(expect.arrayContaining(['Visitors', 'badge']));
    expect(body.why.searched.documents).toBe(4);
  });
});

describe('filters', () => {
  it('hold together: tag, type, day and document', async () => {
    expect(titles(await lexical('the', { filters: { tag: ['food'] } }))).toEqual([]);
    expect(titles(await lexical('bread badge', { filters: { tag: ['food'] } }))).toEqual(['recipe.md']);
    expect(titles(await lexical('bread badge', { filters: { tag: ['office', 'food'] } })).sort()).toEqual([
      'policy.md',
      'recipe.md',
    ]);
    expect(titles(await lexical('bread badge', { filters: { type: ['pdf'] } }))).toEqual([]);
    expect(titles(await lexical('bread', { filters: { to: '2001-01-01' } }))).toEqual([]);
    expect(titles(await lexical('bread', { filters: { from: '2001-01-01', type: ['md'] } }))).toEqual(['recipe.md']);
  });

  it('what was searched is what they leave, not all that is served', async () => {
    const [all, food, none] = await Promise.all([
      lexical('bread'),
      lexical('bread', { filters: { tag: ['food'] } }),
      lexical('bread', { filters: { type: ['pdf'] } }),
    ]);
    expect([all, food, none].map(({ body }) => body.why.searched.documents)).toEqual([4, 1, 0]);
    expect(food.body.why.searched.chunks).toBeLessThan(all.body.why.searched.chunks);
    expect(none.body.why.said).toEqual(['None of the 4 active documents passes the filters.']);
    // The weights of words are those of the tenant: what is found scores the same with a filter and without.
    expect(food.body.hits[0].scores.lexical).toBe(all.body.hits[0].scores.lexical);
  });
});

describe('words of asking', () => {
  it('are not looked for, whatever language the documents have, and never missed', async () => {
    const { body } = await lexical('How long does the rye dough rest, please?');
    const common = body.why.words.filter((word: { is_common: boolean }) => word.is_common);
    expect(common.map(({ word }: { word: string }) => word)).toEqual(['How', 'long', 'does', 'the', 'please?']);
    // "long" is one letter from "log", which stands in a document.
    expect(body.why.said.join(' ')).not.toMatch(/How|long|does/);
    expect(body.why.words.every(({ read_as: readAs }: { read_as: string | null }) => readAs === null)).toBe(true);
    const german = (await lexical('Wie lange ruht der Teig mit dem Roggen?')).body;
    expect(german.why.said.join(' ')).not.toMatch(/Wie|lange|dem/);
  });

  it('are taken at their word when there is nothing else', async () => {
    expect(
      (await lexical('how long')).body.why.words.map(({ is_common: common }: { is_common: boolean }) => common),
    ).toEqual([true, false]);
  });
});

describe('vectors', () => {
  it('bring the chunk whose passage is nearest, beside the words', async () => {
    const { body } = await search({ query: 'badge' });
    expect([body.why.mode, body.why.model, body.hits[0].title]).toEqual(['hybrid', 'hash@1', 'policy.md']);
    expect(body.hits[0].scores.vector).toEqual(expect.any(Number));
    expect(body.why.candidates.vector).toBeGreaterThan(0);
  });
});

describe('another tenant', () => {
  it('finds nothing of it and counts nothing of it', async () => {
    const stranger = await buildUser(bench.db, await buildTenant(bench.db), 'user');
    const { body } = await search({ query: 'password' }, stranger);
    expect([body.hits, body.why.searched]).toEqual([[], { documents: 0, chunks: 0 }]);
  });

  it('changes no weight of a word, however often it writes it', async () => {
    const before = (await lexical('visitor badge')).body;
    const stranger = await buildUser(bench.db, await buildTenant(bench.db), 'admin');
    for (const name of ['one.md', 'two.md'])
      await bench.ingest(`# ${name}\n\nA visitor, a badge, a visitor with a badge, and another visitor.\n`, name, {
        as: stranger,
      });
    const after = (await lexical('visitor badge')).body;
    const facts = ({ hits, why }: typeof before) => [hits[0].scores, why.words, why.searched];
    expect(facts(after)).toEqual(facts(before));
  });
});
