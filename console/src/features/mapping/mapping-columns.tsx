import type { ReactNode } from 'react';
import { percent } from '../../ui/figures.ts';
import { Icon } from '../../ui/icons.tsx';
import { inertText } from '../../ui/inert-text.ts';
import type { Draft } from './mapping-draft.ts';
import type { Mapping } from './show-mapping.ts';

const sure = {
  exact: { mark: '●●●', look: 'text-good' },
  likely: { mark: '●●○', look: 'text-ink-2' },
  guess: { mark: '●○○', look: 'text-warn' },
  none: { mark: '○○○', look: 'text-ink-3' },
} as const;

/** Left the file's columns with samples, right the field each one feeds. */
export function MappingColumns({
  mapping,
  draft,
  onAssign,
}: {
  mapping: Mapping;
  draft: Draft;
  onAssign: (index: number, field: string | null) => void;
}): ReactNode {
  return (
    <ul className="divide-y divide-line">
      {mapping.columns.map((column) => {
        const field = draft.get(column.index) ?? null;
        const own = field !== column.field;
        return (
          <li
            key={column.index}
            className="grid items-center gap-x-4 gap-y-1.5 px-4 py-2 md:grid-cols-[minmax(0,28rem)_1rem_minmax(0,22rem)]"
          >
            <div className="min-w-0">
              <p className="truncate font-medium" title={column.header}>
                {inertText(column.header) || '(no name)'}
                <span className="ml-2 text-xs font-normal text-ink-3">{percent(column.fill_rate, 1)} filled</span>
              </p>
              <p className="figures truncate text-xs text-ink-2">
                {inertText(column.samples.slice(0, 3).join('  ·  ')) || '(always empty)'}
              </p>
            </div>
            <Icon name="right" className={`hidden md:block ${field ? 'text-water' : 'text-line-strong'}`} />
            <div className="min-w-0">
              <select
                aria-label={`Field fed by ${column.header}`}
                value={field ?? ''}
                onChange={(event) => onAssign(column.index, event.target.value || null)}
                className={`control w-full ${field ? '' : 'text-ink-3'}`}
              >
                <option value="">not read</option>
                {mapping.fields.map((target) => (
                  <option key={target.name} value={target.name}>
                    {target.label}
                    {target.required ? ' (required)' : ''} · {target.type}
                  </option>
                ))}
              </select>
              <p className="mt-0.5 text-xs text-ink-3">
                {own ? (
                  <span className="font-medium text-warn">changed by you</span>
                ) : (
                  <>
                    <span className={sure[column.confidence].look}>
                      <span aria-hidden="true">{sure[column.confidence].mark}</span>{' '}
                      {column.confidence === 'none' ? 'no match' : column.confidence}
                    </span>{' '}
                    · {column.reason}
                  </>
                )}
              </p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
