// A word that no document has is read as the nearest one that some have: one slip for short words, two for long ones. The first letter is
// taken as right, which most are, so that only a small part of the index is looked at.

const MIN_LENGTH = 4;
const TWO_SLIPS_FROM = 8;

export function slipsAllowed(term: string): number {
  if (term.length < MIN_LENGTH || /\d/.test(term)) return 0;
  return term.length >= TWO_SLIPS_FROM ? 2 : 1;
}

/** The nearest within what is allowed; the longest common beginning decides between equals. */
export function nearestTerm(term: string, known: readonly string[]): string | undefined {
  const allowed = slipsAllowed(term);
  let best: { readonly term: string; readonly slips: number; readonly common: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - term.length) > allowed) continue;
    const slips = slipsBetween(term, candidate, allowed);
    if (slips > allowed) continue;
    const common = commonBeginning(term, candidate);
    if (best === undefined || slips < best.slips || (slips === best.slips && common > best.common))
      best = { term: candidate, slips, common };
  }
  return best?.term;
}

function commonBeginning(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** Letters added, left out, changed or swapped with their neighbour; anything above `most` is as good as different. */
export function slipsBetween(a: string, b: string, most: number): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let slips = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        slips = Math.min(slips, (before[j - 2] ?? 0) + 1);
      next.push(slips);
      smallest = Math.min(smallest, slips);
    }
    if (smallest > most) return most + 1;
    before = row;
    row = next;
  }
  return row[b.length] ?? most + 1;
}
