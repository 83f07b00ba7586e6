// Which part of a place a source asks for: what no pattern can reach is not listed, so that nothing depends on it. Both judge on the safe
// side: what they leave out holds no key of the source, and what they keep need not hold one.
import picomatch from 'picomatch';
import { patternOptions, type Scope } from './scope.ts';

/** The source's prefix, longer where all its include patterns begin alike: a credential may be good for that part alone. */
export function listedPrefix({ prefix, include }: Scope): string {
  const [first = '', ...others] = include.map(beginningOf);
  const shared = others.reduce(sharedBeginning, first);
  return shared.startsWith(prefix) ? shared : prefix;
}

/** Whether a key of the source may lie below a directory ("name/") that is reached itself. */
export function reachesInto({ include, exclude }: Scope): (directory: string) => boolean {
  const mayInclude = include.length === 0 ? [() => true] : include.map(mayFitBelow);
  const excludes = exclude.flatMap(fitsAllBelow);
  return (directory) => mayInclude.some((may) => may(directory)) && !excludes.some((all) => all(directory));
}

type OfDirectory = (directory: string) => boolean;

/** Signs that mean something in a pattern, or may. */
const special = /[*?[\]{}()!+@|\\"'^$<>]/;

/** What every key begins with that fits. */
function beginningOf(pattern: string): string {
  // Without a slash it is for names in any directory.
  if (!pattern.includes('/') || /^\.?\//.test(pattern)) return '';
  const until = pattern.search(special);
  return until === -1 ? pattern : pattern.slice(0, until);
}

function sharedBeginning(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

/** Part by part, as long as the pattern has one part for each of the directory. */
function mayFitBelow(pattern: string): OfDirectory {
  const parts = pattern.split('/');
  if (parts.length === 1 || !parts.every(isPlainPart)) return () => true;
  const fits = parts.map((part) => picomatch(part, patternOptions));
  return (directory) => {
    const names = directory.slice(0, -1).split('/');
    for (const [index, name] of names.entries()) {
      if (parts[index]?.includes('**')) return true;
      if (index >= parts.length - 1 || fits[index]?.(name) !== true) return false;
    }
    return true;
  };
}

/** Of one part by itself can be told what it fits: it has no sign that reaches over a slash. */
function isPlainPart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && !/[[\]{}()!+@|\\"]/.test(part);
}

/** Only "…/**": what it fits a directory with, it fits everything below with. */
function fitsAllBelow(pattern: string): OfDirectory[] {
  const stem = /^(?<stem>.*[^\\/])\/\*\*$/s.exec(pattern)?.groups?.stem;
  if (stem === undefined) return [];
  const fitsDirectory = picomatch(stem, patternOptions);
  const fitsKey = picomatch(pattern, patternOptions);
  return [
    (directory) =>
      fitsDirectory(directory.slice(0, -1)) && fitsKey(`${directory}name`) && fitsKey(`${directory}name/name`),
  ];
}
