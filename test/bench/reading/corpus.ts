// The files that are scored: one defect each, and mixtures of two to five as real exports have them. The seed decides everything.
import { type Random, randomFrom } from '../../chaos/random.ts';
import {
  aboveDefects,
  belowDefects,
  cellDefects,
  type Defect,
  headerDefects,
  middleDefects,
  nameDefects,
} from './defects.ts';
import { finish, type MessyFile, startDocument } from './document.ts';
import { makeTable } from './table.ts';
import { dialectDefects, encodingDefects, lineDefects, rowDefects } from './writing-defects.ts';

const allDefects: readonly Defect[] = [
  ...nameDefects,
  ...headerDefects,
  ...aboveDefects,
  ...middleDefects,
  ...belowDefects,
  ...cellDefects,
  ...dialectDefects,
  ...lineDefects,
  ...encodingDefects,
  ...rowDefects,
];

/** How often a real export has a defect of the layer. The order is the order in which they are applied. */
const layers: readonly { readonly defects: readonly Defect[]; readonly share: number }[] = [
  { defects: cellDefects, share: 0.3 },
  { defects: nameDefects, share: 0.3 },
  { defects: dialectDefects, share: 0.5 },
  { defects: headerDefects, share: 0.35 },
  { defects: encodingDefects, share: 0.15 },
  { defects: lineDefects, share: 0.5 },
  { defects: rowDefects, share: 0.1 },
  { defects: middleDefects, share: 0.15 },
  { defects: aboveDefects, share: 0.4 },
  { defects: belowDefects, share: 0.35 },
];

/** Kinds that do not go together: one would hide or undo the other. */
const apart: readonly (readonly [string, string])[] = [
  ['total-that-is-data', '*'],
  ['runs-of-blanks', '*above'],
  ['runs-of-blanks', 'blank-names'],
  ['blanks', 'half-of-the-cells-empty'],
  ['no-header', '*names'],
  ['no-header', '*above'],
  ['no-header', 'repeated-header'],
  ['header-of-three-to-five-rows', 'units-row'],
  ['group-row-above', 'stray-quote-in-header'],
];

/** One defect each, in a table long enough that one lost row costs little. */
export function singleDefectFiles(seed: number, perKind: number): MessyFile[] {
  return allDefects.flatMap((defect, index) =>
    Array.from({ length: perKind }, (_, round) => {
      const random = randomFrom(seed + index * 1009 + round * 7919);
      return build(random, [defect], { min: 60, max: 150 });
    }),
  );
}

/** Nothing is wrong with them. */
export function cleanFiles(seed: number, count: number): MessyFile[] {
  return Array.from({ length: count }, (_, index) =>
    build(randomFrom(seed + 31 + index * 15_485_863), [], { min: 4, max: 300 }),
  );
}

export function mixedFiles(seed: number, count: number): MessyFile[] {
  return Array.from({ length: count }, (_, index) => {
    const random = randomFrom(seed + index * 104_729);
    let chosen: Defect[] = [];
    while (chosen.length < 2) chosen = chooseMixture(random);
    return build(random, chosen, { min: 4, max: 300 });
  });
}

function chooseMixture(random: Random): Defect[] {
  const chosen: Defect[] = [];
  for (const { defects, share } of layers) {
    if (!random.chance(share)) continue;
    const defect = random.pick(defects.flatMap((each) => Array<Defect>(each.weight ?? 1).fill(each)));
    if (chosen.every((other) => goTogether(other, defect))) chosen.push(defect);
  }
  return chosen;
}

function goTogether(a: Defect, b: Defect): boolean {
  return !apart.some(([one, other]) => {
    const matches = (first: Defect, second: Defect) =>
      first.name === one && (other === '*' || other === second.name || other === `*${second.layer}`);
    return matches(a, b) || matches(b, a);
  });
}

function build(random: Random, defects: readonly Defect[], size: { min: number; max: number }): MessyFile {
  const needsNumbers = defects.some(
    ({ layer, name }) => layer === 'names' || name === 'units-row' || name === 'group-row-above',
  );
  const onlyText = !needsNumbers && random.chance(0.12) ? 'text' : undefined;
  let table = makeTable(random, size, onlyText);
  while (needsNumbers && table.numeric.length < 2) table = makeTable(random, size);
  const document = startDocument(table);
  for (const defect of defects) defect.apply(document, random);
  return finish(
    document,
    defects.map(({ name }) => name),
  );
}
