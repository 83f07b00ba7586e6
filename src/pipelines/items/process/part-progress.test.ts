import { expect, it } from 'vitest';
import { PartProgress } from './part-progress.ts';

it('what the parts of a job say adds up to the job, whatever it had done before and whoever is quicker', () => {
  for (const of of [1, 3, 4])
    for (const job of [
      { done: 0, total: 6_000 },
      { done: 1_234, total: 6_001 },
      { done: 2, total: 3 },
    ]) {
      const parts = Array.from({ length: of }, (_, index) => new PartProgress({ index, of }, job));
      parts[0]?.add(700);
      const sum = (read: (part: PartProgress) => number) => parts.reduce((all, part) => all + read(part), 0);
      expect([sum(({ done }) => done), sum(({ total }) => total)]).toEqual([job.done + 700, job.total]);
    }
});
