// Meta exports made for the console's walks: good rows with faults at known places.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const header =
  'Reporting starts,Reporting ends,Campaign name,Campaign ID,Ad set name,Ad set ID,Ad name,Ad ID,Day,Amount spent (USD),Impressions,Link clicks';

export interface Row {
  readonly day?: string;
  readonly spend?: string;
  readonly campaign?: string;
}

/** One export row; the ids follow from its number, so that no two rows are the same. */
export function metaRow(index: number, { day, spend = '12.50', campaign = 'Winter sale' }: Row = {}): string {
  const date = day ?? `2026-01-${String((index % 28) + 1).padStart(2, '0')}`;
  const ad = 120_208_394_857_000_000n + BigInt(Math.floor(index / 28));
  return `2026-01-01,2026-01-31,${quoted(campaign)},120208394857261041,Lookalike 1 %,120208394857261042,Video ${index},${ad},${date},${spend},${1200 + index},${index % 90}`;
}

export function metaText(rows: readonly string[]): string {
  return `${[header, ...rows].join('\n')}\n`;
}

export function writeMeta(folder: string, name: string, rows: readonly string[]): string {
  const file = path.join(folder, name);
  writeFileSync(file, metaText(rows));
  return file;
}

/** A file of at least so many bytes, all rows good. */
export function writeLargeMeta(folder: string, name: string, bytes: number): string {
  const rows: string[] = [];
  for (let size = header.length, index = 0; size < bytes; index += 1) {
    const row = metaRow(index);
    rows.push(row);
    size += row.length + 1;
  }
  return writeMeta(folder, name, rows);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
