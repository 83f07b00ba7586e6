// A small dose of damaged files on every test run.
import { describe, expect, it } from 'vitest';
import { formats, intact, mutantOf } from './mutants.ts';
import { runMutations } from './mutations.ts';

describe('damaged files', () => {
  it('of every format, through the reader and the real intake, kill nobody, hold up nobody and answer no 5xx', async () => {
    const { counts, details } = await runMutations({ seed: 20_261_116, steps: 100, say: () => undefined });
    expect([details.findings, counts]).toEqual([
      [],
      { lost: 0, duplicated: 0, wrong: 0, stuck: 0, orphans: 0, zombieWrites: 0 },
    ]);
    // Damage that stops everything at the intake would prove little.
    expect(details.readings.rows).toBeGreaterThan(20);
    expect(details.ends.done).toBeGreaterThan(10);
  });

  it('are the same for the same seed, and differ from what they were made of', () => {
    for (let number = 0; number < 40; number++) {
      const { format, intake, bytes } = mutantOf(7, number);
      expect(bytes.equals(mutantOf(7, number).bytes)).toBe(true);
      expect(bytes.equals(mutantOf(8, number).bytes)).toBe(false);
      expect(formats).toContain(format);
      expect(intact(format, intake).length).toBeGreaterThan(500);
    }
  });
});
