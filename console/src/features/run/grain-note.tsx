import type { ReactNode } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { plural } from '../../ui/figures.ts';

/** What the report tells numbers of, and where a fuller one counts instead. */
export function GrainNote({ receipt }: { receipt: RunDetail['receipt'] }): ReactNode {
  const {
    grain,
    outranked_days: days,
    outranked_day_count: outranked,
  } = (receipt ?? {}) as {
    grain?: string;
    outranked_days?: readonly string[];
    outranked_day_count?: number;
  };
  if (grain === undefined) return null;
  return (
    <p className="text-sm text-ink-2">
      Numbers by <strong className="font-medium text-ink">{grain.replaceAll('_', ' ')}</strong>.
      {outranked !== undefined && days !== undefined && (
        <>
          {' '}
          On {plural(outranked, 'day')} ({days.slice(0, 3).join(', ')}
          {outranked > 3 ? ', …' : ''}) totals are built from a fuller report; these numbers are kept beside it.
        </>
      )}
    </p>
  );
}
