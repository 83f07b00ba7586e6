// A worker dies while someone looks on: the page says what is known, what will be done, and follows the run to its end.
import { describe, expect, it } from 'vitest';
import { shoot } from './browser.ts';
import { startWorkerProcess, submitSteps, tenantOf } from './installation.ts';
import { useConsole } from './use-console.ts';

const stage = useConsole({ LEASE_SECONDS: '8', HEARTBEAT_SECONDS: '1', POLL_INTERVAL_MS: '100' }, 'api');

describe('a run whose worker is killed while its page is open', () => {
  it('says why it waits, that the worker is silent, that another takes over, and ends with a receipt that adds up', async () => {
    const person = await stage.enter();
    const { page } = person;
    const [runId = ''] = await submitSteps(stage.installation, await tenantOf(stage.installation), {
      steps: 150,
      pauseMs: 60,
    });

    await page.goto(`/r/${runId}`);
    await page
      .getByText(/no worker/i)
      .first()
      .waitFor();
    await shoot(page, 'worker-1-none');

    const first = startWorkerProcess(stage.installation);
    await page
      .getByText(/ of 150 steps/)
      .first()
      .waitFor();
    const header = page.locator('header dl');
    await header.getByText('attempt 1 of 4').waitFor();
    await first.kill();
    await page.getByText(/The worker has been silent for/).waitFor();
    await shoot(page, 'worker-2-silent');

    const second = startWorkerProcess(stage.installation);
    await page.getByText(/was lost with its worker/).waitFor();
    await page.getByText(/took over from the last checkpoint/).waitFor();
    await header.getByText('attempt 2 of 5').waitFor();
    await shoot(page, 'worker-3-taken-over');
    await page.getByText('✓ adds up').waitFor();
    await shoot(page, 'worker-4-done');
    await second.kill();

    const stored = await stage.installation.database.query<{ at: number }>('select at from steps where run_id = $1', [
      runId,
    ]);
    expect(new Set(stored.map(({ at }) => at)).size).toBe(150);
    expect(stored).toHaveLength(150);
    expect(person.faults).toEqual([]);
  });

  it('says that the server is away when it is, and goes on by itself when it is back', async () => {
    const person = await stage.enter();
    const mark = person.page.getByRole('status').filter({ hasText: /Live|Reconnecting/ });
    await mark.filter({ hasText: 'Live' }).waitFor();
    await person.context.setOffline(true);
    await mark.filter({ hasText: 'Reconnecting' }).waitFor();
    await person.context.setOffline(false);
    await mark.filter({ hasText: 'Live' }).waitFor();
    expect(person.faults).toEqual([]);
    await person.context.close();
  });
});
