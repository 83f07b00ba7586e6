// Runs of signs that may part cells: `||`, `::`, `|~|`, ` - `. A single sign of such a run would leave empty cells between the cells, or its
// other signs at their ends. Commas stand next to each other in most exports, where cells are empty: a run of them alone parts nothing.

const MAX_SIGNS = 4;
const MAX_LINES = 200;
const MIN_LINES = 2;
const MOST_LINES = 0.9;
/** A dash between blanks also stands in titles: where it parts cells it does so more than once. */
const DASH = ' - ';
const RUN = /(?:\t{2,4}|[^\p{L}\p{N}\s"'().+-]{2,4}|(?<=\S)-{2}(?=\S)|-+>|\+{2}|\\t| - )/gu;
const COMMAS = /^,+$/;

/**
 * The runs that stand in nearly all lines, the most frequent first. `single`: the sign that parts cells if no run does, which is then part of
 * the run; null when none does: then the first line, which holds the names, has the run as well.
 */
export function delimitersOfSeveralSigns(text: string, single: string | null): string[] {
  const lines = text.split(/[\r\n]+/, MAX_LINES + 1).filter((line) => line.trim() !== '');
  if (lines.length < MIN_LINES) return [];
  const told = lines.slice(0, MAX_LINES).map((line) => runsIn(line, single));
  const times = new Map<string, { lines: number; all: number }>();
  for (const runs of told) {
    for (const run of new Set(runs)) {
      const seen = times.get(run) ?? { lines: 0, all: 0 };
      times.set(run, { lines: seen.lines + 1, all: seen.all + runs.filter((each) => each === run).length });
    }
  }
  return [...times]
    .filter(([run, { lines: holding, all }]) => {
      if (holding < told.length * MOST_LINES || COMMAS.test(run)) return false;
      if (run === DASH && all < holding * 2) return false;
      return single !== null || told[0]?.includes(run) === true;
    })
    .sort(([a, one], [b, other]) => other.all - one.all || b.length - a.length)
    .map(([run]) => (isSetWithBlanks(lines, run) ? ` ${run} ` : run));
}

/** Where cells are empty a run stands several times in a row: "||||" is "||" twice. */
function runsIn(line: string, single: string | null): string[] {
  return [...line.matchAll(RUN)].flatMap(([run]) => {
    if (run.length > MAX_SIGNS || (single !== null && !run.includes(single))) return [];
    const half = run.slice(0, run.length / 2);
    return run.length === 4 && half + half === run ? [run, half] : [run];
  });
}

function isSetWithBlanks(lines: readonly string[], run: string): boolean {
  return run !== DASH && lines.every((line) => line.split(run).length === line.split(` ${run} `).length);
}
