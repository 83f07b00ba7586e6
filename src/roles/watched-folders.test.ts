import { describe, expect, it } from 'vitest';
import { parseWatchedFolders } from './watched-folders.ts';

const tenant = '01a1e18c-55f1-7000-9a2e-33c9260f14db';

describe('WATCHED_FOLDERS', () => {
  it('names folder, pipeline, platform and tenant, several separated by commas', () => {
    expect(parseWatchedFolders(`/in/meta=ads:meta@${tenant}, /in/court=judgments`)).toEqual([
      { folder: '/in/meta', pipeline: 'ads', platform: 'meta', tenantId: tenant },
      { folder: '/in/court', pipeline: 'judgments', platform: undefined, tenantId: undefined },
    ]);
  });

  it('is empty when unset', () => {
    expect(parseWatchedFolders(undefined)).toEqual([]);
  });

  it.each([
    ['/in=unknown', 'form FOLDER=PIPELINE'],
    ['/in', 'form FOLDER=PIPELINE'],
    ['/in=ads', 'ads needs one of'],
    ['/in=ads:myspace', 'ads needs one of'],
    ['/in=judgments@not-a-tenant', 'form FOLDER=PIPELINE'],
  ])('refuses %s with a sentence that says what is wrong', (text, reason) => {
    expect(() => parseWatchedFolders(text)).toThrow(reason);
  });
});
