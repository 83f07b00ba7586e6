// The set-up of every test file. Files on judgments, present and to come, are listened to: at their end people must have been sent in,
// and nothing of them may stand in what was heard. Registered first, so it looks last, when everything is closed.
import { afterAll, expect } from 'vitest';
import { findCanaries } from './canary-people.ts';
import { allHeard, forgetHeard, hear, judgmentsTests, startListening, wasFed } from './heard.ts';

const levels = ['log', 'info', 'warn', 'error', 'debug'] as const;

forgetHeard();
if (judgmentsTests.test(expect.getState().testPath ?? '')) {
  startListening();
  const quiet = levels.map((level) => [level, console[level]] as const);
  for (const [level, said] of quiet) {
    console[level] = (...words: unknown[]) => {
      hear(...words);
      said.call(console, ...words);
    };
  }
  afterAll(() => {
    // The next file of this process may be about something else.
    for (const [level, said] of quiet) console[level] = said;
    if (!wasFed())
      throw new Error(
        'a test file on judgments sends in no canaries: open a bench, or use test/support/canary-people.ts',
      );
    const found = findCanaries(allHeard());
    if (found.length > 0) throw new Error(`people stand where nobody may: ${found.join(', ')}`);
  });
}
