// INGEST_MODE=http with nobody at INGEST_WORKER_URL: the upload is taken, its failure is said in the list and in its run, and the rest works.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildPdf, prose } from '../support/document-files.ts';
import { shoot } from './browser.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole({
  POLL_INTERVAL_MS: '100',
  INGEST_MODE: 'http',
  INTERNAL_AUTH_TOKEN: 'a token that both sides share, of 32 letters or more',
  // The discard port: nobody listens there.
  INGEST_WORKER_URL: 'http://127.0.0.1:9',
});

describe('without an ingest worker', () => {
  it('an upload shows "failed: worker unavailable", and leads to the run that can be retried', async () => {
    const person = await stage.enter();
    const { page } = person;
    await page.goto('/data/documents');
    const file = path.join(stage.folder, 'unread.pdf');
    writeFileSync(file, await buildPdf([{ lines: prose(1, 12) }]));
    await page.getByLabel('Documents to upload').setInputFiles(file);
    const notRead = page.getByRole('region', { name: 'Not read' });
    await notRead.getByText('failed: worker unavailable').waitFor();
    await shoot(page, 'documents-unavailable');
    expect(await page.getByRole('row', { name: /unread\.pdf/ }).count(), 'not among documents').toBe(0);
    await notRead.getByRole('link', { name: 'unread.pdf' }).click();
    await page.getByText('worker unavailable').first().waitFor();
    await page.getByRole('button', { name: 'Retry' }).first().waitFor();
    expect(person.faults).toEqual([]);
  });
});
