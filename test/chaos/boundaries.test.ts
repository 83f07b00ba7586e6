// Every place where a crash may fall between two things that belong together has a name at which the chaos suites die. Read from the
// source, so that a new transaction without a failpoint fails here and not in somebody's production.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { failpoints } from '../../src/platform/failpoints.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where runs, events, bytes and messages are moved. */
const folders = ['src/engine', 'src/outbound', 'src/sources', 'src/platform/blob'];

/** Transactions without one, and why. */
const excused: Readonly<Record<string, string>> = {
  'src/outbound/webhooks/webhook-service.ts': 'a test message a person asks for and looks at; nothing depends on it',
  'src/engine/services/staging-cleaner.ts': 'only deletes what nobody needs, and takes up where it was killed',
  'src/sources/folder/claimed-file.ts': 'the last move of a file; collect.ts dies before it',
  'src/sources/folder/folder-place.ts':
    'moves a file that was taken in, after that is written; one that was not moved is moved by the next sync',
  'src/engine/questions.ts':
    'an answer that was not written is given again, and a question that is overdue is found again',
  'src/engine/due-work.ts': 'the same statement as the due mover, for a process that comes, works and goes',
};

/** Statements that move work on their own, in one statement: each needs a failpoint behind it. */
const movers = ['moveDueRuns(', 'takeSends(', 'enqueueRuns(', 'await rename(', 'removeMarked('];

const sources = folders.flatMap((folder) => filesIn(folder)).map((file) => ({ file, text: readText(file) }));

describe('a boundary without a failpoint', () => {
  it('is not there: each file has at least as many failpoints as transactions', () => {
    const bare = sources.filter(({ text }) => count(text, 'withTransaction(') > count(text, "failpoint('"));
    expect(bare.map(({ file }) => file).filter((file) => excused[file] === undefined)).toEqual([]);
  });

  it('is not there for work that moves in a single statement either', () => {
    for (const mover of movers) {
      const users = sources.filter(({ file, text }) => !file.includes('/sql/') && text.includes(mover));
      const bare = users.filter(({ file, text }) => !text.includes("failpoint('") && excused[file] === undefined);
      expect([mover, users.length > 0, bare.map(({ file }) => file)]).toEqual([mover, true, []]);
    }
  });
});

describe('a named failpoint', () => {
  it('stands in the product', () => {
    const all = [...filesIn('src'), 'test/chaos/tally.ts'].map(readText).join('\n');
    expect(failpoints.filter((name) => !all.includes(`failpoint('${name}')`))).toEqual([]);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => path.posix.join(folder, name));
}

function readText(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

function count(text: string, what: string): number {
  return text.split(what).length - 1;
}
