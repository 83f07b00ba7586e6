// Whether doubts are raised where something was misread, and nowhere else. A clean file that is held costs a person a click and a sender a
// night; a misread one that is not doubted is stored in silence.
import { bytesSource } from '../../../src/tabular/byte-source.ts';
import { readTable } from '../../../src/tabular/read-table.ts';
import type { ReadingDoubt } from '../../../src/tabular/reading.ts';
import { doubtsOfFindings, SetAsideWatch } from '../../../src/tabular/set-aside-watch.ts';
import type { Figure } from '../report.ts';
import type { MessyFile } from './document.ts';
import type { Scored } from './score.ts';

/** Below this a file counts as misread: a row of a table of sixty costs about a tenth. */
const MISREAD = 9.5;
const WELL_READ = 9.99;

export async function judgeDoubts(
  clean: readonly MessyFile[],
  messy: readonly Scored[],
  say: (line: string) => void,
): Promise<Figure[]> {
  const ofClean = await Promise.all(clean.map(({ bytes }) => doubtsIn(bytes)));
  const judged = [];
  for (const { file, score } of messy) judged.push({ file, score, doubts: await doubtsIn(file.bytes) });
  const misread = judged.filter(({ score }) => score.total < MISREAD);
  const wellRead = judged.filter(({ score }) => score.total >= WELL_READ);
  say(`clean: ${ofClean.filter(isHeld).length} of ${clean.length} held, ${ofClean.filter(isDoubted).length} doubted`);
  tell('well read', wellRead, say);
  tell('misread', misread, say);
  for (const { file, doubts, score } of process.env.READING_WORST === undefined ? [] : [...misread, ...wellRead])
    if (isHeld(doubts) !== score.total < MISREAD)
      say(
        `${score.total.toFixed(2)} ${file.kinds.join(' + ')}: ${doubts?.map(({ code }) => code).join(', ') ?? 'refused'}`,
      );
  const share = (of: readonly unknown[], among: readonly unknown[]) =>
    among.length === 0 ? 0 : Math.round((of.length / among.length) * 1000) / 1000;
  return [
    { id: 'clean-held', value: ofClean.filter(isHeld).length, unit: 'files', peers: {}, ratios: {} },
    {
      id: 'misread-doubted',
      value: share(
        misread.filter(({ doubts }) => isDoubted(doubts)),
        misread,
      ),
      unit: 'of 1',
      peers: {},
      ratios: {},
    },
    {
      id: 'misread-held',
      value: share(
        misread.filter(({ doubts }) => isHeld(doubts)),
        misread,
      ),
      unit: 'of 1',
      peers: {},
      ratios: {},
    },
  ];
}

type Doubts = readonly ReadingDoubt[] | null;

function tell(name: string, files: readonly { doubts: Doubts }[], say: (line: string) => void): void {
  const held = files.filter(({ doubts }) => isHeld(doubts)).length;
  say(`${name}: ${held} of ${files.length} held, ${files.filter(({ doubts }) => isDoubted(doubts)).length} doubted`);
}

/** A file that is refused stores nothing, which is as good as held. */
function isHeld(doubts: Doubts): boolean {
  return doubts === null || doubts.some(({ holds }) => holds === true);
}

function isDoubted(doubts: Doubts): boolean {
  return doubts === null || doubts.length > 0;
}

async function doubtsIn(bytes: Buffer): Promise<Doubts> {
  try {
    const table = await readTable(bytesSource(bytes));
    const watch = new SetAsideWatch(table.reading);
    for await (const batch of table.batches()) {
      for (let row = 0; row < batch.rowCount; row++)
        if (batch.kinds[row] === 0) watch.addData(batch, row);
        else watch.add(batch, row);
      watch.addSpans(batch);
    }
    return [...(table.reading.doubts ?? []), ...doubtsOfFindings(watch.findings)];
  } catch {
    return null;
  }
}
