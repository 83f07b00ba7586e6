import type { ReactNode } from 'react';
import type { Receipt } from '../../../../src/contract/api/receipt.ts';
import { figure } from '../../ui/figures.ts';
import { wordsOf } from '../../ui/state-pill.tsx';
import { exactSum, sameDecimal } from './exact-sum.ts';

type Totals = NonNullable<Receipt['totals']>;

/** The file's own sums against what landed in each outcome; each line must hold to the last digit. */
export function ControlTotals({
  totals,
  amounts,
}: {
  totals: Totals;
  amounts?: ReadonlySet<string> | undefined;
}): ReactNode {
  const measureValue = (measure: string, value: string) => figure(value, amounts?.has(measure));
  const measures = Object.entries(totals);
  if (measures.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="inline-flex cursor-pointer flex-wrap gap-x-4 gap-y-1 text-ink-2 hover:text-ink">
        {measures.map(([measure, total]) => {
          const holds = sameDecimal(total.file, exactSum(Object.values(total.outcomes)));
          return (
            <span key={measure} className={holds ? '' : 'text-bad'}>
              {wordsOf(measure)} <span className="figures">{measureValue(measure, total.file)}</span>{' '}
              {holds ? '✓' : '✕'}
            </span>
          );
        })}
      </summary>
      <ul className="mt-2 flex flex-col gap-1 border-l-2 border-line pl-3">
        {measures.map(([measure, total]) => (
          <li key={measure} className="figures flex flex-wrap gap-x-2 text-xs">
            <span className="font-sans text-ink-2">{wordsOf(measure)}:</span>
            <span>file {measureValue(measure, total.file)}</span>
            {Object.entries(total.outcomes).map(([outcome, value], index) => (
              <span key={outcome}>
                {index === 0 ? '=' : '+'} {measureValue(measure, value)}{' '}
                <span className="font-sans text-ink-3">{outcome}</span>
              </span>
            ))}
            {total.declared && (
              <span className={sameDecimal(total.declared, total.file) ? 'text-good' : 'text-warn'}>
                · its total row says {measureValue(measure, total.declared)}{' '}
                {sameDecimal(total.declared, total.file) ? '✓' : '(differs)'}
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
