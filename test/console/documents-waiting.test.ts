// A document that nobody can read yet: the list says what it waits for, a page that needs OCR is fixed by a click once a worker is there.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, prose } from '../support/document-files.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { shoot } from './browser.ts';
import { startWorkerProcess } from './installation.ts';
import { useConsole } from './use-console.ts';

const env: Record<string, string> = {
  POLL_INTERVAL_MS: '100',
  EMBEDDING_PROVIDER: 'http',
  EMBEDDING_MODEL: 'fake',
  EMBEDDING_DIM: '16',
};
let service: FakeEmbeddings;
beforeAll(async () => {
  service = await startFakeEmbeddings(16);
  env.EMBEDDING_URL = service.url;
});
const stage = useConsole(env, 'api');
afterAll(() => service.close());

describe('without a worker', () => {
  it('an upload says that it waits for a worker, and is a document once one comes', async () => {
    const person = await stage.enter();
    const { page } = person;
    await page.goto('/data/documents');
    const file = path.join(stage.folder, 'waits.pdf');
    writeFileSync(file, await buildPdf([{ lines: prose(1, 12) }, { lines: prose(2, 12) }]));
    await page.getByLabel('Documents to upload').setInputFiles(file);
    const reading = page.getByRole('region', { name: 'Being read' });
    await reading.getByText(/waiting for a worker/i).waitFor();
    await shoot(page, 'documents-waiting');

    const worker = startWorkerProcess(stage.installation);
    await page.getByRole('row', { name: /waits\.pdf.*v1/ }).waitFor();
    await page
      .getByRole('row', { name: /waits\.pdf/ })
      .getByRole('link')
      .first()
      .click();

    // A page whose text layer is not trusted is read again from its image: a new version, with what changed.
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('heading', { name: 'Page 2 of 2' }).waitFor();
    await page.getByRole('button', { name: 'Read it again with OCR' }).click();
    await page.getByText('v2 served since').waitFor();
    await page.getByText('2 pages = 1 text + 1 OCR').waitFor();
    await shoot(page, 'document-page-ocr');
    await worker.kill();
    expect(person.faults).toEqual([]);
  });
});
