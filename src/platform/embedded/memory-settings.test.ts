import { describe, expect, it } from 'vitest';
import { memorySettings } from './memory-settings.ts';

const GB = 1024 ** 3;

describe('memory of the embedded server', () => {
  it.each([
    [0.5, '128MB', '16MB'],
    [2, '128MB', '16MB'],
    [4, '256MB', '32MB'],
    [8, '512MB', '64MB'],
    [64, '512MB', '64MB'],
  ])('is a sixteenth of %d GB: no less than Postgres needs, no more than loads gain from', (gigabytes, pages, log) => {
    expect(memorySettings(gigabytes * GB)).toEqual({ shared_buffers: pages, wal_buffers: log });
  });

  it('follows the machine it runs on', () => {
    expect(memorySettings().shared_buffers).toMatch(/^\d{3}MB$/);
  });
});
