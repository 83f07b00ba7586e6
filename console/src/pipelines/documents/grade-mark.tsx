import type { ReactNode } from 'react';
import { percent } from '../../ui/figures.ts';
import type { DocumentVersion } from './show-document.ts';

const looks: Readonly<Record<string, string>> = {
  A: 'border-good text-good bg-good-soft',
  B: 'border-good text-good bg-good-soft',
  C: 'border-warn text-warn bg-warn-soft',
  D: 'border-warn text-warn bg-warn-soft',
  E: 'border-bad text-bad bg-bad-soft',
  F: 'border-bad text-bad bg-bad-soft',
};

const shareWords: Readonly<Record<string, string>> = {
  empty: 'pages empty or rejected',
  ocr: 'doubt of the OCR',
  garbled: 'unreadable characters',
  tables: 'tables lost',
};

/** How well a version could be read, from A to F; the letter tells it without colour. */
export function GradeMark({
  grade,
  shares,
}: {
  grade: DocumentVersion['grade'];
  shares?: DocumentVersion['grade_shares'];
}): ReactNode {
  if (grade === null) return <span className="text-ink-3">–</span>;
  return (
    <span
      title={shares ? gradeReason(shares) : undefined}
      className={`figures inline-grid size-6 place-items-center rounded border text-sm font-semibold ${looks[grade]}`}
    >
      <span className="sr-only">grade </span>
      {grade}
    </span>
  );
}

/** What cost points, or that nothing did. */
export function gradeReason(shares: NonNullable<DocumentVersion['grade_shares']>): string {
  const lost = Object.entries(shares).filter(([, share]) => share > 0);
  if (lost.length === 0) return 'no part of it is in doubt';
  return lost.map(([name, share]) => `${percent(share, 1)} ${shareWords[name] ?? name}`).join(', ');
}
