// The set-up of every test file. Files on judgments, present and to come, are listened to: at their end people must have been sent in,
// and nothing of them may stand in what was heard. Registered first, so it looks last, when everything is closed.
import { afterAll, expect } from 'vitest';
import { findCanaries } from './canary-people.ts';
import { allHeard, hear, judgmentsTests, startListening, wasFed } from './heard.ts';

if (judgmentsTests.test(expect.getState().testPath ?? '')) {
  startListening();
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    const onward = console[level].bind(console);
    console[level] = (...words: unknown[]) => {
      hear(...words);
      onward(...words);
    };
  }
  afterAll(() => {
    if (!wasFed())
      throw new Error(
        'a test file on judgments sends in no canaries: open a bench, or use test/support/canary-people.ts',
      );
    const found = findCanaries(allHeard());
    if (found.length > 0) throw new Error(`people stand where nobody may: ${found.join(', ')}`);
  });
}
