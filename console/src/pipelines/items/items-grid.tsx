// The rows of the grid, drawn only where they are seen. Columns are those of the export, in its order.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { inertText } from '../../ui/inert-text.ts';
import { EmptyState } from '../../ui/states.tsx';
import { EditableCell } from './edit-cell.tsx';
import { type Item, isLive, type Job, textOf } from './list-items.ts';
import { StatusWord } from './status-word.tsx';
import type { GridRows } from './use-grid-rows.ts';

const rowHeight = 32;
const cell = 'max-w-56 truncate px-2 whitespace-nowrap';

interface Props {
  readonly job: Job;
  readonly rows: GridRows;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onOpen: (itemId: string) => void;
}

export function ItemsGrid({ job, rows, selected, onSelect, onOpen }: Props): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const shown = virtual.getVirtualItems();
  const [first, last] = [shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0];
  const { onSight } = rows;
  useEffect(() => onSight(first, last), [first, last, onSight]);
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const titles = titlesOf(job);
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <div ref={box} className="relative h-[65vh] overflow-auto" tabIndex={0}>
      {rows.count === 0 && <NoRows job={job} />}
      <table aria-label="Items" aria-rowcount={job.total_items + 1} className="border-collapse text-left text-sm">
        <thead className="sticky top-0 z-10 bg-raised">
          <tr className="border-b border-line-strong">
            {titles.map((title, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
              <th key={index} scope="col" className="label px-2 py-1.5 font-medium whitespace-nowrap">
                {inertText(title)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={shown[0]?.start ?? 0} />
          {shown.map(({ index }) => {
            const item = rows.at(index);
            return item === undefined ? (
              <tr key={`gap ${index}`} style={{ height: rowHeight }} className="border-b border-line">
                <td className="px-2 text-ink-2" colSpan={titles.length}>
                  …
                </td>
              </tr>
            ) : (
              <tr
                key={item.id}
                aria-rowindex={item.row_index + 2}
                className="border-b border-line hover:bg-sunken/60"
                style={{ height: rowHeight }}
              >
                <td className="figures px-2 whitespace-nowrap">
                  <input
                    type="checkbox"
                    aria-label={`Select row ${item.row_index + 1}`}
                    checked={selected.has(item.id)}
                    onChange={() => toggle(item.id)}
                  />{' '}
                  <button
                    type="button"
                    className="link"
                    aria-label={`Record of row ${item.row_index + 1}`}
                    onClick={() => onOpen(item.id)}
                  >
                    {item.row_index + 1}
                  </button>
                </td>
                <td className="px-2">
                  <StatusWord status={item.status} />
                </td>
                <Cells job={job} item={item} />
              </tr>
            );
          })}
          <Gap height={below} />
        </tbody>
      </table>
    </div>
  );
}

/** As the export writes them: a column of the result that the file has too is told apart. */
function titlesOf({ input_columns: input, output_columns: output }: Job): string[] {
  const own = ['Row', 'Status', 'Reason', ...input];
  return [...own, ...output.map(({ title }) => (own.includes(title) ? `${title} (result)` : title))];
}

/** Nothing to show: because of the filter, or because the job has no rows, and then why. */
function NoRows({ job }: { job: Job }): ReactNode {
  if (job.total_items > 0) return <EmptyState icon="table" title="No item matches" />;
  return (
    <EmptyState icon="table" title={isLive(job) ? 'No row is stored yet' : 'The job has no rows'}>
      {inertText(job.why ?? job.last_error ?? (isLive(job) ? 'The file is being read.' : ''))}
    </EmptyState>
  );
}

/** Stands for the rows that are not drawn. */
function Gap({ height }: { height: number }): ReactNode {
  return height <= 0 ? null : (
    <tr>
      <td style={{ height, padding: 0 }} />
    </tr>
  );
}

function Cells({ job, item }: { job: Job; item: Item }): ReactNode {
  return (
    <>
      <td className={cell} title={item.last_error ?? ''}>
        {inertText(item.last_error ?? '')}
      </td>
      {job.input_columns.map((name) => (
        <EditableCell key={name} jobId={job.jobId} item={item} column={name} />
      ))}
      {job.output_columns.map(({ name, type }) => (
        <td key={name} className={`${cell} ${type === 'number' ? 'figures text-right' : ''}`}>
          {inertText(textOf(item.result?.[name]))}
        </td>
      ))}
    </>
  );
}
