// The list of bad input and trouble that the product must answer well, and where each is proved: its code is catalogued with a sentence
// and a next step, and the named tests, which see it happen, speak of the code. Takes a line away from nobody: a code that is renamed
// or a test that is removed fails here.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue, type ErrorCode } from './catalogue.ts';

interface Proof {
  readonly trouble: string;
  readonly code: ErrorCode;
  /** File and the title of the test in it. */
  readonly tests: readonly (readonly [file: string, title: string])[];
}

const trouble = 'test/acceptance/trouble.test.ts';
const runs = 'test/acceptance/runs.test.ts';
const enqueue = 'src/engine/enqueue.db.test.ts';
const refusals = 'refuses an unknown pipeline, a bad input, a big one and an empty key';

const proofs: readonly Proof[] = [
  {
    trouble: 'unknown pipeline',
    code: 'pipeline_unknown',
    tests: [
      [enqueue, refusals],
      ['test/acceptance/ingest.test.ts', 'refuses what it cannot take'],
    ],
  },
  {
    trouble: 'illegal event',
    code: 'event_illegal',
    tests: [
      ['src/engine/actions.db.test.ts', ''],
      [runs, ''],
    ],
  },
  { trouble: 'oversize input', code: 'input_too_large', tests: [[enqueue, refusals]] },
  {
    trouble: 'malformed cursor',
    code: 'cursor_malformed',
    tests: [
      [runs, ''],
      ['src/http/app.db.test.ts', ''],
    ],
  },
  { trouble: 'wrong DSN', code: 'database_refused', tests: [[trouble, 'a wrong password and a wrong name']] },
  {
    trouble: 'database down at start',
    code: 'database_unreachable',
    tests: [[trouble, 'a database that is not there']],
  },
  { trouble: 'database too old', code: 'database_too_old', tests: [[trouble, 'a server that is too old']] },
  {
    trouble: 'database lost mid-run',
    code: 'database_lost',
    tests: [['src/engine/worker.db.test.ts', '']],
  },
  {
    trouble: 'pool exhausted',
    code: 'pool_exhausted',
    tests: [[trouble, 'when all connections are taken, those who wait are answered 503 in time']],
  },
  {
    trouble: 'disk full',
    code: 'disk_full',
    tests: [
      ['test/acceptance/disk-full.test.ts', 'refuses a file that does not fit'],
      ['test/acceptance/disk-full.test.ts', 'answers 507 and keeps what it acknowledged'],
    ],
  },
  { trouble: 'newer schema', code: 'schema_newer', tests: [[trouble, 'an older version on a newer schema']] },
  {
    trouble: 'two incompatible versions',
    code: 'machine_conflict',
    tests: [[trouble, 'two versions of a pipeline that contradict each other']],
  },
];

describe('bad input and trouble', () => {
  it.each(proofs)('$trouble has a code, one sentence and a next step', ({ code }) => {
    const { message, next } = catalogue[code];
    expect(message).toMatch(/^[A-Z{].*\.$/s);
    expect(next).toMatch(/^[A-Z{].*\.$/s);
  });

  it.each(proofs)('$trouble is proved by a test that sees it', ({ code, tests }) => {
    for (const [file, title] of tests) {
      const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      expect([file, text.includes(code), text.includes(title)]).toEqual([file, true, true]);
    }
  });
});
