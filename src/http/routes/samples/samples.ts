// The samples that come with Millrace: which file, for which pipeline, and what a newcomer will see.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SampleFile {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly pipeline: string;
  readonly platform: 'meta' | 'google' | 'tiktok' | null;
  readonly filename: string;
}

/** The package's samples; src/http/routes/samples and its twin under dist lie at the same depth. */
const folder = fileURLToPath(new URL('../../../../samples', import.meta.url));

export const samples: readonly SampleFile[] = [
  {
    name: 'meta',
    title: 'Meta Ads Manager export',
    about: 'Days and amounts in mixed styles, a total row, a row without a campaign.',
    pipeline: 'ads',
    platform: 'meta',
    filename: 'meta.csv',
  },
  {
    name: 'google',
    title: 'Google Ads report',
    about: 'Title lines above the header, "--" for empty, thousands separators, totals below.',
    pipeline: 'ads',
    platform: 'google',
    filename: 'google.csv',
  },
  {
    name: 'tiktok',
    title: 'TikTok Ads export',
    about: 'Masked counts, another empty marker, rows that cannot be dated.',
    pipeline: 'ads',
    platform: 'tiktok',
    filename: 'tiktok.csv',
  },
  {
    name: 'judgments',
    title: 'Court judgments',
    about: 'Lines above the header, a day that does not exist, a case twice, two people of one name.',
    pipeline: 'judgments',
    platform: null,
    filename: 'judgments.csv',
  },
];

export async function listSampleFiles(): Promise<(SampleFile & { size_bytes: number })[]> {
  return Promise.all(
    samples.map(async (sample) => ({ ...sample, size_bytes: (await stat(path.join(folder, sample.filename))).size })),
  );
}

export function readSample(sample: SampleFile): Promise<Buffer> {
  return readFile(path.join(folder, sample.filename));
}
