// What an auditor has found: counted by kind, with a sentence each.
import type { Counts } from './auditor.ts';
import { noCounts } from './suites/suite.ts';

/** `number` things of a kind; none is no finding. */
export type Find = (kind: keyof Counts, number: number, what: string) => void;

export interface Findings {
  readonly counts: Counts;
  readonly findings: string[];
  readonly find: Find;
}

export function openFindings(): Findings {
  const counts: Record<keyof Counts, number> = { ...noCounts };
  const findings: string[] = [];
  return {
    counts,
    findings,
    find(kind, number, what) {
      if (number === 0) return;
      counts[kind] += number;
      findings.push(`${kind}: ${what}${number === 1 ? '' : ` (${number})`}`);
    },
  };
}
