import { describe, expect, it } from 'vitest';
import { waitFor } from './wait-for.ts';

describe('waitFor', () => {
  it('returns the first value that counts', async () => {
    let polls = 0;
    const poll = () => {
      polls += 1;
      return polls >= 3 ? 'done' : undefined;
    };
    expect(await waitFor(poll)).toBe('done');
    expect(polls).toBe(3);
  });

  it('takes an error as "not yet" and names it, and what it waited for, when time is up', async () => {
    const waiting = waitFor(() => Promise.reject(new Error('refused')), { timeoutMs: 20, what: 'the server' });
    await expect(waiting).rejects.toMatchObject({
      message: 'waited 20 ms for the server',
      cause: { message: 'refused' },
    });
  });

  it('looks less often the longer it waits, so that it takes little from what it waits for', async () => {
    const until = performance.now() + 600;
    let looks = 0;
    await waitFor(() => {
      looks += 1;
      return performance.now() > until;
    });
    // Every 5 ms it would have been 100 at least.
    expect(looks).toBeLessThan(60);
  });
});
