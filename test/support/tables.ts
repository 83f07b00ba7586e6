// Tables for tests, made in code: the shapes the ads platforms export, and a source of seeded randomness.
import { type ByteSource, bytesSource } from '../../src/tabular/byte-source.ts';
import type { RowBatch } from '../../src/tabular/row-batch.ts';

/** A small generator with a seed (mulberry32): the same numbers on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function textSource(text: string, chunkBytes?: number): ByteSource {
  return bytesSource(Buffer.from(text), chunkBytes);
}

/** Chunks of random lengths between 1 and `longest`, cut anywhere, also inside characters. */
export function ragged(bytes: Uint8Array, random: () => number, longest: number): ByteSource {
  return {
    size: bytes.length,
    async *open(start, end = bytes.length) {
      for (let at = start; at < end; ) {
        const next = Math.min(end, at + 1 + Math.floor(random() * longest));
        yield bytes.subarray(at, next);
        at = next;
      }
    },
  };
}

export interface ReadRow {
  readonly line: number;
  readonly offset: number;
  readonly kind: string;
  readonly fault: string | null;
  readonly cells: readonly string[];
}

export async function allRows(batches: AsyncIterable<RowBatch>): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const batch of batches) {
    for (let row = 0; row < batch.rowCount; row++) {
      rows.push({
        line: batch.line(row),
        offset: batch.offset(row),
        kind: batch.kind(row),
        fault: batch.fault(row),
        cells: batch.texts(row),
      });
    }
  }
  return rows;
}

export const googleReport = `Campaign report
"January 17, 2024 - February 15, 2024"
Campaign status,Campaign,Day,Currency code,Impr.,Cost,Interaction rate
Enabled,"Brand, EU",2024-01-17,EUR,"203,834",12.50,4.50%
Paused,Total Recall,2024-01-18,EUR, --,3.00, --
"Total: Campaigns", --, --, --,"203,834",15.50,4.50%
"Total: Account", --, --, --,"303,834",25.50,4.10%
`;

/** A segment column stands first, so the label stands second and comes once per segment. */
export const googleSegmented = `Search keyword report
10 February 2026 - 23 February 2026
Device,Keyword status,Keyword,Campaign,Impr.,Cost
Computers,Eligible,shoes,Spring,"1,200",10.00
Mobile phones,Eligible,shoes,Spring,800,5.00
Computers,Total: Filtered keywords, --, --,"1,200",10.00
Mobile phones,Total: Filtered keywords, --, --,800,5.00
`;

export const metaExport = `\uFEFFReporting starts,Reporting ends,Campaign name,Campaign ID,Amount spent (USD),Impressions,"CPM (cost per 1,000 impressions) (USD)",Ends
2024-01-01,2024-01-02,,,99.5,3000,33.166667,
2024-01-01,2024-01-01,Spring – EU,120210000000000123,33.25,1000,33.25,Ongoing
2024-01-02,2024-01-02,"Autumn ""sale""",120210000000000124,66.25,2000,33.125,2024-03-01
`;

export const tiktokRows: readonly (readonly (string | number)[])[] = [
  [
    'Campaign name',
    'Campaign ID',
    'By Day',
    'Cost',
    'Impressions',
    'Conversions',
    'Website URL (Ad level）',
    'Currency',
  ],
  ['Launch', '1789000000000012345', '2024-01-05', 1200, 203834, '<5', 'https://example.test/a', 'IDR'],
  ['Launch', '1789000000000012345', '2024-01-06', 900, '-', 7, '--', 'IDR'],
  ['Total of 2 results', '-', '-', 2100, 203834, 7, '-', '-'],
];

export function delimited(rows: readonly (readonly (string | number)[])[], delimiter = ','): string {
  const cell = (value: string | number) =>
    /["\r\n]/.test(String(value)) || String(value).includes(delimiter)
      ? `"${String(value).replaceAll('"', '""')}"`
      : String(value);
  return `${rows.map((row) => row.map(cell).join(delimiter)).join('\n')}\n`;
}

const splinters = [
  '"',
  '""',
  '\n',
  '\r',
  '\0',
  ',',
  ';',
  '\t',
  '{',
  '}',
  '[',
  ']',
  ':',
  '\\',
  '\xff',
  '\xc3',
  '\ufeff',
  '<',
  '&',
  '9'.repeat(40),
  '[[[[[[[[',
  '"a',
];

/** Damages a file in one to four places: other bytes, splinters, pieces left out or doubled, an early end. */
export function mutate(bytes: Buffer, random: () => number): Buffer {
  let mutant = Buffer.from(bytes);
  for (let hits = 1 + Math.floor(random() * 4); hits > 0 && mutant.length > 0; hits--) {
    const at = Math.floor(random() * mutant.length);
    const until = Math.min(mutant.length, at + Math.floor(random() * random() * 64));
    const splinter = Buffer.from(
      splinters[Math.floor(random() * splinters.length)] ?? '',
      random() < 0.5 ? 'latin1' : 'utf8',
    );
    const dice = random();
    if (dice < 0.25) mutant[at] = Math.floor(random() * 256);
    else if (dice < 0.5) mutant = Buffer.concat([mutant.subarray(0, at), splinter, mutant.subarray(at)]);
    else if (dice < 0.7) mutant = Buffer.concat([mutant.subarray(0, at), mutant.subarray(until)]);
    else if (dice < 0.85) mutant = Buffer.concat([mutant.subarray(0, until), mutant.subarray(at)]);
    else mutant = mutant.subarray(0, at);
  }
  return mutant;
}
