// A large Meta export, made from a seed: about 189 bytes a row, so 50 MB are 265,000 rows. Ad names hold quotes, commas, line breaks and
// other scripts; amounts come in three formats; two rows in a hundred are bad.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export interface ExportFacts {
  readonly rows: number;
  readonly bad: number;
  readonly bytes: number;
}

const header =
  'Day,Campaign name,Campaign ID,Ad set name,Ad set ID,Ad name,Ad ID,Amount spent (USD),Impressions,Clicks (all),Link clicks,Reach,Purchases,Purchases conversion value,Attribution setting\n';
const words = ['Frühling', 'Sale', 'Zürich', '東京', 'Réduction', 'Summer', 'Обувь', 'Video', 'Carousel', 'Retarget'];
const DAYS = 120;
const DAY_MS = 86_400_000;

export async function writeAdsExport(path: string, bytes: number, seed = 7): Promise<ExportFacts> {
  const out = createWriteStream(path);
  let written = Buffer.byteLength(header);
  let rows = 0;
  let bad = 0;
  let random = seed;
  const next = (below: number) => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((random / 2 ** 32) * below);
  };
  let chunk = header;
  while (written < bytes) {
    const isBad = next(50) === 0;
    const row = adsRow(rows, next, isBad);
    rows++;
    if (isBad) bad++;
    chunk += row;
    written += Buffer.byteLength(row);
    if (chunk.length < 256 * 1024) continue;
    if (!out.write(chunk)) await once(out, 'drain');
    chunk = '';
  }
  out.end(chunk);
  await once(out, 'finish');
  return { rows, bad, bytes: written };
}

function adsRow(index: number, next: (below: number) => number, isBad: boolean): string {
  const ad = Math.floor(index / DAYS);
  const day = new Date(Date.UTC(2024, 0, 1) + (index % DAYS) * DAY_MS).toISOString().slice(0, 10);
  const adSet = Math.floor(ad / 5);
  const campaign = Math.floor(ad / 40);
  const cents = next(5_000_000);
  const impressions = next(250_000);
  const clicks = Math.floor(impressions / 40);
  const name = `${words[ad % words.length]} ${words[(ad * 7) % words.length]} ${ad}`;
  const quoted = ad % 9 === 0 ? `"${name}, ""${ad}""\nsecond line"` : name;
  const fault = isBad ? next(3) : -1;
  return [
    fault === 0 ? 'yesterday' : day,
    `${words[campaign % words.length]} campaign ${campaign}`,
    `1202100000${10_000_000 + campaign}`,
    `Ad set ${adSet}`,
    `1202200000${10_000_000 + adSet}`,
    quoted,
    `1202300000${10_000_000 + ad}`,
    fault === 1 ? 'n. v.' : amount(cents, index % 3),
    fault === 2
      ? '-12'
      : impressions >= 1000 && index % 4 === 0
        ? `"${impressions.toLocaleString('en-US')}"`
        : String(impressions),
    String(clicks),
    String(Math.floor(clicks / 2)),
    String(Math.floor(impressions / 2)),
    String(clicks % 13),
    `${clicks % 13}9.${cents % 90}`,
    '7-day click or 1-day view\n',
  ].join(',');
}

function amount(cents: number, format: number): string {
  const units = Math.floor(cents / 100);
  const rest = String(cents % 100).padStart(2, '0');
  if (format === 0) return `${units}.${rest}`;
  if (format === 1) return `$${units}.${rest}`;
  return `"${units.toLocaleString('en-US')}.${rest}"`;
}
