// A file that is called back before any worker has taken it: the run ends, nothing of the file is stored, and it stays so.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdsBench, openAdsBench } from '../../test/support/ads.ts';
import { useDatabase } from '../../test/support/database.ts';
import { newTenant } from '../../test/support/engine.ts';
import { type JudgmentsBench, judgmentsFile, openJudgmentsBench } from '../../test/support/judgments.ts';

const database = useDatabase();
let ads: AdsBench;
let judgments: JudgmentsBench;

beforeAll(async () => {
  ads = await openAdsBench(database.appUrl);
  judgments = await openJudgmentsBench(database.appUrl);
});

afterAll(async () => {
  await ads.close();
  await judgments.close();
});

describe('a waiting upload that is cancelled', () => {
  it('ends as failed without a worker, and cannot be cancelled twice', async () => {
    const tenantId = newTenant();
    const files = [
      { engine: ads.engine, id: await ads.submit(tenantId, 'date,campaign_id\n2026-11-01,c1\n') },
      {
        engine: judgments.engine,
        id: await judgments.submit(tenantId, judgmentsFile('C-1,Ada,Bob,10,2026-01-01,Kings,,,')),
      },
    ];
    for (const { engine, id } of files) {
      expect(await engine.cancel({ tenantId, by: 'ada' }, id)).toBe('cancelled');
      expect(await engine.run(tenantId, id)).toMatchObject({
        status: 'failed',
        phase: 'failed',
        attempt: 0,
        error_code: 'run_cancelled',
      });
      await expect(engine.cancel({ tenantId, by: 'ada' }, id)).rejects.toMatchObject({ code: expect.any(String) });
    }
  });
});
