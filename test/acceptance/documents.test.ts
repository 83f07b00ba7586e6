// Documents on the command line of the built product, without a server: uploaded, listed, read page by page, fixed, exported, taken
// away, served again and erased. Vectors come from a service.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPdf, prose } from '../support/document-files.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { createDatabase, type InstallationDatabase } from './installation-database.ts';
import { cleanUp, makeHome, millrace } from './millrace-process.ts';

const folder = makeHome();
let database: InstallationDatabase;
let service: FakeEmbeddings;
let env: Record<string, string>;

beforeAll(async () => {
  [database, service] = await Promise.all([createDatabase(), startFakeEmbeddings(16)]);
  env = {
    ...database.env,
    MILLRACE_HOME: makeHome(),
    EMBEDDING_PROVIDER: 'http',
    EMBEDDING_MODEL: 'fake',
    EMBEDDING_DIM: '16',
    EMBEDDING_URL: service.url,
    POLL_INTERVAL_MS: '100',
  };
});
afterAll(async () => {
  await cleanUp();
  await service.close();
  await database.drop();
});

/** What the command answers with --json; `code` is the one it must exit with. */
async function documents<T>(words: readonly string[], code = 0): Promise<T> {
  const done = await millrace(['documents', ...words, '--json'], env);
  expect([words[0], done.code, done.stderr]).toEqual([words[0], code, expect.any(String)]);
  return JSON.parse(done.stdout || 'null') as T;
}

async function say(words: readonly string[], code = 0): Promise<string> {
  const done = await millrace(['documents', ...words], env);
  expect([words[0], done.code, done.stderr]).toEqual([words[0], code, expect.any(String)]);
  return done.stdout + done.stderr;
}

it('every command of documents does what it says, and names the next step', async () => {
  const file = path.join(folder, 'records.pdf');
  writeFileSync(file, await buildPdf([{ heading: 'Retention', lines: prose(1, 12) }, { lines: prose(2, 12) }, {}]));
  expect(await say(['upload', file, '--title', 'Records', '--tags', 'legal,hr', '--watch'])).toMatch(
    /process +\d+ chunks? · (\d+) passages?: \1 embedded, 0 reused\n.* receipt +3 = 2 text \+ 1 empty\nDocument [0-9a-f-]{36}: succeeded/,
  );
  expect(service.texts.length).toBeGreaterThan(0);
  expect(await say(['upload', file])).toMatch(/Already ingested, no changes: document [0-9a-f-]{36}/);
  expect(await say(['upload', path.join(folder, 'none.pdf')], 1)).toContain('none.pdf');

  const [listed] = await documents<{ doc_id: string; title: string; tags: string[] }[]>(['list', '--search', 'rec']);
  expect(listed).toMatchObject({ title: 'Records', tags: ['legal', 'hr'] });
  const id = listed?.doc_id ?? '';
  expect(await say(['list', '--search', 'nothing of the kind'])).toContain('No documents match.');
  expect(await say(['show', id])).toMatch(/Records[\s\S]*v1 \(served\) {2}3 pages/);
  expect(await documents<{ page_no: number }[]>(['pages', id, '--fate', 'empty'])).toMatchObject([{ page_no: 3 }]);
  expect(await say(['export', id])).toContain('On page 2 rule number 1');

  const copy = path.join(folder, 'copy.pdf');
  await say(['download', id, '--output', copy]);
  expect(readFileSync(copy)).toEqual(readFileSync(file));
  expect(await say(['orphans'])).toContain('No orphans');
  const [broken, page] = [path.join(folder, 'broken.pdf'), path.join(folder, 'page.html')];
  writeFileSync(broken, '%PDF-1.4\nbroken');
  expect(await say(['upload', broken, '--watch'], 1)).toContain('extraction error');
  expect(await say(['orphans'])).toMatch(
    /broken\.pdf[\s\S]*millrace runs list --pipeline documents --phase waiting,active,failed/,
  );
  // What was left out is said where somebody looks at the document.
  writeFileSync(page, `<p>${prose(3, 4).join(' ')}</p><footer>Imprint of the paper</footer>`);
  await say(['upload', page, '--watch']);
  const [shown] = await documents<{ doc_id: string }[]>(['list', '--search', 'page.html']);
  expect(await say(['show', shown?.doc_id ?? ''])).toMatch(
    /v1 \(served\) {2}1 section, 1 chunk\n +navigation and footers were left out: 4 words/,
  );
  await say(['purge', shown?.doc_id ?? '', '--yes']);

  // Nobody works here: the command does it itself. A page that is left out counts as rejected, as the exit code says.
  expect(await say(['retry-page', id, '2', 'exclude'], 2)).toContain(`Document ${id}: succeeded`);
  const output = path.join(folder, 'records.md');
  await say(['export', id, '--output', output]);
  expect(readFileSync(output, 'utf8')).not.toContain('On page 2');
  expect(await say(['export', id, '--doc-version', '1'])).toContain('On page 2');
  expect(await say(['retry-page', id, '9', 'ocr'], 1)).toContain('9');

  expect(await say(['deactivate', id, '--reason', 'out of date'])).toContain('is not served any more');
  expect(await documents<unknown[]>(['list'])).toEqual([]);
  expect(await say(['reactivate', id, '--doc-version', '1'])).toContain('is served again: v1');
  expect(await say(['purge', id])).toMatch(/^purge would erase ".+" for good: 2 versions\. Add --yes to do it\.$/m);
  expect(await say(['show', id])).toContain('v2');
  expect(await say(['purge', id, '--yes'])).toMatch(
    /is erased: 2 versions, 6 pages, \d+ vectors, 1 file, \d+ answers?\./,
  );
  expect(await say(['show', id], 1)).toContain(id);
});
