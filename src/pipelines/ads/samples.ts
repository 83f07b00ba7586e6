// The samples of ads: which file, and what a new user will see. src/pipelines/ads and its twin under dist lie at the same depth.
import type { Sample } from '../../http/pipeline-parts.ts';

export const adsSamples: readonly Sample[] = [
  {
    name: 'meta',
    title: 'Meta Ads Manager export',
    about: 'Days and amounts in mixed styles, a total row, a row without a campaign.',
    file: new URL('../../../samples/meta.csv', import.meta.url),
    fields: { platform: 'meta' },
  },
  {
    name: 'google',
    title: 'Google Ads report',
    about: 'Title lines above the header, "--" for empty, thousands separators, totals below.',
    file: new URL('../../../samples/google.csv', import.meta.url),
    fields: { platform: 'google' },
  },
  {
    name: 'tiktok',
    title: 'TikTok Ads export',
    about: 'Masked counts, another empty marker, rows that cannot be dated.',
    file: new URL('../../../samples/tiktok.csv', import.meta.url),
    fields: { platform: 'tiktok' },
  },
];
