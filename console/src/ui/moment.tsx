import type { ReactNode } from 'react';
import { clockTime, exactTime, relativeTime } from './relative-time.ts';
import { useNow } from './use-now.ts';

/** A moment in relative words; hovering gives the exact time in the viewer's zone. */
export function Moment({ at, as = 'relative' }: { at: string | null; as?: 'relative' | 'clock' }): ReactNode {
  const now = useNow();
  if (at === null) return <span className="text-ink-3">–</span>;
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
      {as === 'clock' ? clockTime(at) : relativeTime(at, now)}
    </time>
  );
}
