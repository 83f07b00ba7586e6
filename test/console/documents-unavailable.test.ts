// INGEST_MODE=http with nobody at INGEST_WORKER_URL: the upload is taken, its failure is said in the list, with the document and in its run, and the
// rest works. Once a worker is there the file is uploaded again, and nothing says any more that it was not read.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStatusProcess } from '../acceptance/millrace-process.ts';
import { buildPdf, prose } from '../support/document-files.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { freePort } from '../support/free-port.ts';
import { shoot } from './browser.ts';
import { useConsole } from './use-console.ts';

const env: Record<string, string> = {
  POLL_INTERVAL_MS: '100',
  INGEST_MODE: 'http',
  INTERNAL_AUTH_TOKEN: 'a token that both sides share, of 32 letters or more',
  EMBEDDING_PROVIDER: 'http',
  EMBEDDING_MODEL: 'fake',
  EMBEDDING_DIM: '16',
};
let service: FakeEmbeddings;
beforeAll(async () => {
  service = await startFakeEmbeddings(16);
  const port = String(await freePort());
  Object.assign(env, {
    EMBEDDING_URL: service.url,
    INGEST_WORKER_PORT: port,
    INGEST_WORKER_URL: `http://127.0.0.1:${port}`,
  });
});
const stage = useConsole(env);
afterAll(() => service.close());

describe('without an ingest worker', () => {
  it('an upload shows "failed: worker unavailable", and leads to the run that can be retried; read later, it is not said to be unread', async () => {
    const person = await stage.enter();
    const { page } = person;
    await page.goto('/data/documents');
    const file = path.join(stage.folder, 'unread.pdf');
    writeFileSync(file, await buildPdf([{ lines: prose(1, 12) }]));
    await page.getByLabel('Documents to upload').setInputFiles(file);
    const notRead = page.getByRole('region', { name: 'Not read' });
    await notRead.getByText('failed: worker unavailable').waitFor();
    await shoot(page, 'documents-unavailable');
    const row = page.getByRole('row', { name: /unread\.pdf/ });
    expect(await row.count(), 'not among documents').toBe(0);
    await notRead.getByRole('link', { name: 'unread.pdf' }).click();
    await page.getByText('worker unavailable').first().waitFor();
    await page.getByRole('button', { name: 'Retry' }).first().waitFor();

    await page.goto('/data/documents');
    await page.getByRole('link', { name: 'Without a version' }).click();
    await row.getByRole('link', { name: 'unread.pdf' }).click();
    await page.getByText('It has no version').waitFor();
    await page.getByText('worker unavailable').waitFor();
    await shoot(page, 'document-unread');
    await page.getByRole('link', { name: 'Its run failed' }).click();
    await page.getByRole('button', { name: 'Retry' }).first().waitFor();

    const worker = await startStatusProcess('ingest-worker', stage.installation.env);
    await page.goto('/data/documents');
    await notRead.waitFor();
    await page.getByLabel('Documents to upload').setInputFiles(file);
    await row.waitFor();
    await notRead.waitFor({ state: 'detached' });
    await worker.end();
    expect(person.faults).toEqual([]);
  });
});
