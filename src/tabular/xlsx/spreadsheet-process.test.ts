import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';
import { buildWorkbook } from '../../../test/support/workbooks.ts';
import { defaultLimits } from '../limits.ts';
import { openSpreadsheet } from './spreadsheet-process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'millrace-sheet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The processes that read spreadsheets for us. */
function readers(): number[] {
  const lines = execFileSync('ps', ['-axo', 'ppid=,pid=,command='], { encoding: 'utf8' }).split('\n');
  const ours = lines.map((line) => line.trim().split(/\s+/)).filter(([parent]) => Number(parent) === process.pid);
  return ours.filter((words) => words.some((word) => word.includes('spreadsheet-child'))).map(([, pid]) => Number(pid));
}

/** Whether a process that reads spreadsheets for us is alive; one that has ended and was not waited for yet counts as alive. */
function hasReader(): boolean {
  const lines = execFileSync('ps', ['-axo', 'ppid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.some((line) => Number.parseInt(line, 10) === process.pid && /spreadsheet-child|defunct/.test(line));
}

describe('the process that reads a spreadsheet', () => {
  it('loses no row when it is gone before the first one is asked for', async () => {
    const file = path.join(folder, 'short.xlsx');
    writeFileSync(file, buildWorkbook({ rows: '<row><c><v>1</v></c></row><row><c><v>2</v></c></row>' }));
    const opened = await openSpreadsheet({ path: file, sheet: null, fromRow: 1, maxRows: null, limits: defaultLimits });
    await waitFor(async () => !hasReader(), { what: 'the reader to end' });
    const parts: Uint8Array[] = [];
    for await (const chunk of opened.chunks) parts.push(chunk);
    expect(Buffer.concat(parts).toString()).toBe('1,1\n2,2\n');
  });

  it('that is killed by somebody else is missed: half a sheet is no sheet, and the file is tried again', async () => {
    const file = path.join(folder, 'long.xlsx');
    writeFileSync(file, buildWorkbook({ rows: '<row><c><v>1</v></c></row>'.repeat(200_000) }));
    const opened = await openSpreadsheet({ path: file, sheet: null, fromRow: 1, maxRows: null, limits: defaultLimits });
    const reading = (async () => {
      for await (const _ of opened.chunks) for (const pid of readers()) process.kill(pid, 'SIGKILL');
    })();
    await expect(reading).rejects.toMatchObject({ code: 'spreadsheet_reader_lost', kind: 'transient' });
  });
});
