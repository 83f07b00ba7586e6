// A small dose of the upload chaos on every test run.
import { expect, it } from 'vitest';
import { runUploadChaos } from './uploads.ts';

it('slow, aborting, lying and flooding senders lose, mix up and leave nothing, and memory stays flat', async () => {
  const result = await runUploadChaos({ seed: 20_261_115, slow: 40, aborts: 60, seconds: 3 });
  expect(result.counts).toEqual({ lost: 0, duplicated: 0, wrong: 0, stuck: 0, orphans: 0, zombieWrites: 0 });
  expect(result.rssGrowthMb).toBeLessThan(100);
});
