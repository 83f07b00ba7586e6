import type { ReactNode } from 'react';
import type { Run } from '../../app/api.ts';
import { count } from '../figures.ts';
import { outcomeClass, receiptBar } from './receipt-segments.ts';

/** The receipt in one table cell: the same textures, the sentence in its label. */
export function ReceiptMini({ run }: { run: Pick<Run, 'receipt' | 'phase' | 'progress'> }): ReactNode {
  const bar = receiptBar(run);
  if (bar.segments.length === 0) return <span className="text-ink-3">–</span>;
  const sentence = bar.segments.map((segment) => `${count(segment.count)} ${segment.outcome}`).join(', ');
  return (
    <span
      role="img"
      aria-label={`${count(bar.read)} read: ${sentence}`}
      title={`${count(bar.read)} read = ${sentence}`}
      className={`flex h-2.5 w-full min-w-24 overflow-hidden rounded-[3px] bg-sunken ${bar.balanced === false ? 'ring-1 ring-bad' : ''}`}
    >
      {bar.segments.map((segment) => (
        <span
          key={segment.outcome}
          className={outcomeClass(segment.outcome)}
          style={{ width: `${segment.share * 100}%` }}
        />
      ))}
    </span>
  );
}
