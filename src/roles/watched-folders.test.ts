import { describe, expect, it } from 'vitest';
import { adsIntake } from '../pipelines/ads/http/ads-handlers.ts';
import { parseWatchedFolders } from './watched-folders.ts';

const tenant = '01a1e18c-55f1-7000-9a2e-33c9260f14db';
const { folderFields } = adsIntake({} as Parameters<typeof adsIntake>[0]);
const intakes = { ads: { ...(folderFields ? { folderFields } : {}) }, judgments: {} };
const parse = (text?: string) => parseWatchedFolders(text, intakes);

describe('WATCHED_FOLDERS', () => {
  it('names folder, pipeline, what the pipeline is told, and the tenant by id or name; several separated by commas', () => {
    expect(parse(`/in/meta=ads:meta@${tenant}, /in/court=judgments:acme@Acme Law, /in/else=judgments`)).toEqual([
      { folder: '/in/meta', pipeline: 'ads', word: 'meta', tenant },
      { folder: '/in/court', pipeline: 'judgments', word: 'acme', tenant: 'Acme Law' },
      { folder: '/in/else', pipeline: 'judgments', word: undefined, tenant: undefined },
    ]);
  });

  it('may say what happens to files that are in doubt', () => {
    expect(parse('/in/meta=ads:meta?proceed@Acme, /in/court=judgments?fail')).toMatchObject([
      { word: 'meta', onDoubt: 'proceed', tenant: 'Acme' },
      { word: undefined, onDoubt: 'fail' },
    ]);
  });

  it('is empty when unset', () => {
    expect(parse(undefined)).toEqual([]);
  });

  it.each([
    ['/in=unknown', 'no pipeline unknown takes files; there are ads, judgments'],
    ['/in', 'form FOLDER=PIPELINE'],
    ['/in=ads', 'it needs one of'],
    ['/in=ads:myspace', 'it needs one of'],
  ])('refuses %s with a sentence that says what is wrong', (text, reason) => {
    expect(() => parse(text)).toThrow(reason);
  });
});
