// The grade of a version, A to F, from four shares of its pages that a person can look up (docs/documents.md has the table):
//   empty    pages that hold no text, or were rejected
//   ocr      pages read from their image, each weighed by how unsure the OCR was
//   garbled  unreadable characters in the text layer
//   tables   tables whose cells were lost
import type { ReadPage } from './extract/page.ts';

export type Grade = 'A' | 'B' | 'C' | 'D' | 'E' | 'F';

export interface GradeShares {
  readonly empty: number;
  readonly ocr: number;
  readonly garbled: number;
  readonly tables: number;
}

/** How many points of 100 a share of 1 costs. A rejected page weighs like an empty one: neither can be found. */
const weights: GradeShares = { empty: 100, ocr: 60, garbled: 100, tables: 30 };
const steps: readonly (readonly [number, Grade])[] = [
  [95, 'A'],
  [85, 'B'],
  [70, 'C'],
  [50, 'D'],
  [25, 'E'],
];

/** Sums over the pages seen so far: plain JSON in the checkpoint. */
export interface GradeSums {
  readonly pages: number;
  readonly empty: number;
  readonly doubt: number;
  readonly garbled: number;
  readonly tables: number;
  readonly tablesLost: number;
}

export const noGrade: GradeSums = { pages: 0, empty: 0, doubt: 0, garbled: 0, tables: 0, tablesLost: 0 };

export function addToGrade(sums: GradeSums, pages: readonly ReadPage[]): GradeSums {
  const next = { ...sums };
  for (const { fate, ocrConfidence, garbledShare, tables, tablesLost } of pages) {
    next.pages += 1;
    next.empty += fate === 'empty' || fate === 'rejected' ? 1 : 0;
    next.doubt += fate === 'ocr' ? 1 - (ocrConfidence ?? 0) : 0;
    next.garbled += fate === 'text' ? garbledShare : 0;
    next.tables += tables + tablesLost;
    next.tablesLost += tablesLost;
  }
  return next;
}

export function gradeOf(sums: GradeSums): { grade: Grade; shares: GradeShares } {
  const share = (part: number, of: number) => (of === 0 ? 0 : Math.round((part / of) * 1_000) / 1_000);
  const shares: GradeShares = {
    empty: share(sums.empty, sums.pages),
    ocr: share(sums.doubt, sums.pages),
    garbled: share(sums.garbled, sums.pages),
    tables: share(sums.tablesLost, sums.tables),
  };
  const lost = (Object.keys(weights) as (keyof GradeShares)[]).reduce(
    (sum, key) => sum + shares[key] * weights[key],
    0,
  );
  return { grade: steps.find(([least]) => 100 - lost >= least)?.[1] ?? 'F', shares };
}
