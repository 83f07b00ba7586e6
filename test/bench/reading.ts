// npm run bench -- reading: how much of messy files arrives as a person would have read it, beside csv-parse, PapaParse and DuckDB on the same
// bytes. The files are generated from a seed; figures are scores, not speeds, and do not depend on the machine.
// READING_SEED takes other files; READING_WORST=20 also lists the kinds and files that lose most.
import { type Contender, millrace, openPeers } from './reading/contenders.ts';
import { cleanFiles, mixedFiles, singleDefectFiles } from './reading/corpus.ts';
import type { MessyFile } from './reading/document.ts';
import { judgeDoubts } from './reading/judge-doubts.ts';
import { type Score, type Scored, scoreOf } from './reading/score.ts';
import { type BenchOptions, type BenchResult, describeMachine, type Figure } from './report.ts';

const SEED = 20_261_116;

export async function benchReading({ quick, say }: BenchOptions): Promise<BenchResult> {
  const seed = Number(process.env.READING_SEED ?? SEED);
  const singles = singleDefectFiles(seed, quick ? 2 : 8);
  const mixed = mixedFiles(seed, quick ? 100 : 600);
  say(`${singles.length} files with one defect, ${mixed.length} with several, seed ${seed}`);
  const ours = { singles: await scoreAll(millrace, singles), mixed: await scoreAll(millrace, mixed) };
  const worst = Number(process.env.READING_WORST ?? 0);
  if (worst > 0) tellWorst([...ours.singles, ...ours.mixed], worst, say);
  const doubts = await judgeDoubts(cleanFiles(seed, quick ? 200 : 1_000), [...ours.singles, ...ours.mixed], say);
  const peers: { readonly name: string; readonly singles: Scored[]; readonly mixed: Scored[] }[] = [];
  for (const peer of await openPeers(say)) {
    peers.push({ name: peer.name, singles: await scoreAll(peer, singles), mixed: await scoreAll(peer, mixed) });
    await peer.close();
  }
  const compared = (id: string, of: 'singles' | 'mixed', part: (score: Score) => number): Figure => {
    const value = mean(ours[of], part);
    const others = Object.fromEntries(peers.map((peer) => [peer.name, mean(peer[of], part)]));
    const ratios = Object.fromEntries(Object.entries(others).map(([name, other]) => [name, rounded(value / other)]));
    return { id, value, unit: id.endsWith('f1') ? 'of 1' : 'of 10', peers: others, ratios };
  };
  return {
    machine: { ...describeMachine(['csv-parse', 'papaparse', '@duckdb/node-api']), seed },
    figures: [
      compared('messy-score', 'mixed', ({ total }) => total),
      compared('header-f1', 'mixed', ({ headerF1 }) => headerF1),
      compared('one-defect-score', 'singles', ({ total }) => total),
      ...doubts,
    ],
  };
}

async function scoreAll(contender: Contender, files: readonly MessyFile[]): Promise<Scored[]> {
  const scored: Scored[] = [];
  for (const file of files) {
    try {
      scored.push({ file, score: scoreOf(await contender.read(file.bytes), file.truth), problem: null });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      scored.push({ file, score: scoreOf(null, file.truth), problem });
    }
  }
  return scored;
}

function tellWorst(scored: readonly Scored[], count: number, say: (line: string) => void): void {
  const byKind = new Map<string, Scored[]>();
  for (const each of scored) for (const kind of each.file.kinds) byKind.set(kind, [...(byKind.get(kind) ?? []), each]);
  const kinds = [...byKind].map(([kind, of]) => {
    const alone = of.filter(({ file }) => file.kinds.length === 1);
    return {
      kind,
      lost: of.reduce((sum, { score }) => sum + 10 - score.total, 0),
      alone: mean(alone, ({ total }) => total),
      files: of.length,
    };
  });
  for (const { kind, lost, alone, files } of kinds.sort((a, b) => b.lost - a.lost)) {
    say(`${kind.padEnd(40)} lost ${lost.toFixed(1).padStart(6)} points in ${files} files, alone ${alone}`);
  }
  for (const { file, score, problem } of [...scored].sort((a, b) => a.score.total - b.score.total).slice(0, count)) {
    const { total, headerF1, rowF1, cellF1 } = score;
    say(
      `${total.toFixed(2)} header ${headerF1.toFixed(2)} rows ${rowF1.toFixed(2)} cells ${cellF1.toFixed(2)} ${file.kinds.join(' + ')} ${problem ?? ''}`,
    );
  }
}

function mean(scored: readonly Scored[], part: (score: Score) => number): number {
  if (scored.length === 0) return 0;
  return rounded(scored.reduce((sum, { score }) => sum + part(score), 0) / scored.length);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
