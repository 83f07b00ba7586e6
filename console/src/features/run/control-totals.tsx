import type { ReactNode } from 'react';
import type { Receipt } from '../../../../src/contract/api/receipt.ts';
import { figure } from '../../ui/figures.ts';
import { wordsOf } from '../../ui/state-pill.tsx';
import { agrees, exactSum, sameDecimal } from './exact-sum.ts';

type Totals = NonNullable<Receipt['totals']>;

/** A tick only where the file itself says the same: that our own sums agree with each other proves nothing about the file. */
function verdictOn({ file, outcomes, declared }: Totals[string]): { mark?: string; look: string; words?: string } {
  if (!sameDecimal(file, exactSum(Object.values(outcomes))))
    return { mark: '✕', look: 'text-bad', words: 'the outcomes do not add up to what was read' };
  if (!declared) return { look: '' };
  return agrees(declared, file)
    ? { mark: '✓', look: 'text-good', words: 'as the file’s own total row says' }
    : { mark: '≠', look: 'text-warn', words: 'the file’s own total row says something else' };
}

/** What was read, by measure, and where it went; each line must hold to the last digit. */
export function ControlTotals({
  totals,
  notTold = [],
  amounts,
}: {
  totals: Totals;
  /** Measures of which no row has a value. */
  notTold?: readonly string[] | undefined;
  amounts?: ReadonlySet<string> | undefined;
}): ReactNode {
  const measureValue = (measure: string, value: string) => figure(value, amounts?.has(measure));
  const measures = Object.entries(totals);
  if (measures.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="inline-flex cursor-pointer flex-wrap gap-x-4 gap-y-1 text-ink-2 hover:text-ink">
        {measures.map(([measure, total]) => {
          const { mark, look, words } = verdictOn(total);
          return (
            <span key={measure} className={look} title={words}>
              {wordsOf(measure)} <span className="figures">{measureValue(measure, total.file)}</span>
              {mark && (
                <>
                  {' '}
                  <span aria-hidden="true">{mark}</span>
                  <span className="sr-only">{words}</span>
                </>
              )}
            </span>
          );
        })}
        {notTold.length > 0 && (
          <span className="text-ink-3" title="no row of the file has a value: it is stored as unknown, not as zero">
            not in the file: {notTold.map(wordsOf).join(', ')}
          </span>
        )}
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
              <span className={agrees(total.declared, total.file) ? 'text-good' : 'text-warn'}>
                · its total row says {measureValue(measure, total.declared)}{' '}
                {agrees(total.declared, total.file) ? '✓' : '(differs)'}
              </span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
