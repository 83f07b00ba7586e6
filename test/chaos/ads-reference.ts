// An ads export and what must become of it, computed from the same random numbers and by nothing of the product.
import type { Random } from './random.ts';

export interface AdsReference {
  /** Day and ad → spend/impressions/clicks as they must be stored. */
  readonly rows: ReadonlyMap<string, string>;
  readonly outcomes: Readonly<Record<string, number>>;
}

const header = 'Day,Campaign name,Campaign ID,Ad name,Ad ID,Amount spent (USD),Impressions,Clicks (all)';
const DAY_MS = 86_400_000;

export function makeAdsFile(random: Random): { text: string; reference: AdsReference } {
  const lines = [header];
  const rows = new Map<string, string>();
  let [superseded, rejected] = [0, 0];
  const count = random.between(1_500, 4_000);
  for (let i = 0; i < count; i++) {
    const ad = Math.floor(i / 60);
    const day = new Date(Date.UTC(2024, 0, 1) + (i % 60) * DAY_MS).toISOString().slice(0, 10);
    const spend = `${random.between(0, 4_999)}.${random.between(1, 9)}`;
    const line = (amount: string) => `${day},C${ad % 4},${ad % 4},"Ad ${ad},\n""x""",${ad},${amount},${i},${i % 50}`;
    if (random.chance(1 / 40)) {
      lines.push(line('n. v.'));
      rejected++;
      continue;
    }
    lines.push(line(spend));
    const key = `${day}/${ad}`;
    rows.set(key, `${spend}/${i}/${i % 50}`);
    if (random.chance(1 / 60)) {
      lines.push(line(spend));
      superseded++;
    } else if (random.chance(1 / 80)) {
      lines.push(line(`${spend}7`));
      rejected++;
    }
  }
  const outcomes = {
    inserted: rows.size,
    ...(superseded > 0 ? { superseded } : {}),
    ...(rejected > 0 ? { rejected } : {}),
  };
  return { text: `${lines.join('\n')}\n`, reference: { rows, outcomes } };
}
