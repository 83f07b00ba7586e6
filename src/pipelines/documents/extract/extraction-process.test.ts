// The process that reads a document is ended when it takes longer than it may, and says so.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { ExtractionProcess } from './extraction-process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-extraction-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('takes longer than it may: it is killed, and whatever it is asked then fails with that reason', async () => {
  const file = path.join(folder, 'a.txt');
  writeFileSync(file, 'The archive keeps one sentence.\n');
  // No process starts within a millisecond.
  const reader = new ExtractionProcess({ maxMemoryMb: 400, timeoutMs: 1 });
  const request = { path: file, format: 'txt', ocr: 'off', tessdata: '', language: 'eng', asked: {} } as const;
  const refused = { code: 'document_too_complex', params: { reason: expect.stringMatching(/^it took over/) } };
  await expect(reader.open(request)).rejects.toMatchObject(refused);
  await expect(reader.pages(1, 1)).rejects.toMatchObject(refused);
  expect(reader.isGone).toBe(true);
  const { pid = 0 } = reader;
  await waitFor(
    async () => {
      try {
        return process.kill(pid, 0) ? undefined : true;
      } catch {
        return true;
      }
    },
    { what: 'the process to be gone' },
  );
});
