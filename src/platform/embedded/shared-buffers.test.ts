import { describe, expect, it } from 'vitest';
import { sharedBuffers } from './shared-buffers.ts';

const GB = 1024 ** 3;

describe('memory of the embedded server', () => {
  it.each([
    [0.5, '128MB'],
    [2, '128MB'],
    [4, '256MB'],
    [8, '512MB'],
    [64, '512MB'],
  ])(
    'is a sixteenth of %d GB, but never less than Postgres needs nor more than loads gain from',
    (gigabytes, setting) => {
      expect(sharedBuffers(gigabytes * GB)).toBe(setting);
    },
  );

  it('follows the machine it runs on', () => {
    expect(sharedBuffers()).toMatch(/^\d{3}MB$/);
  });
});
