// How the rows of a job stand, as a strip whose parts filter the grid.
import type { ReactNode } from 'react';
import type { ItemStatus } from '../../../../src/contract/pipelines/items/item-statuses.ts';
import { count } from '../../ui/figures.ts';
import type { Job } from './list-items.ts';
import { StatusWord } from './status-word.tsx';

interface Props {
  readonly job: Job;
  readonly status: ItemStatus | undefined;
  readonly onChoose: (status: ItemStatus | undefined) => void;
}

export function CounterStrip({ job, status, onChoose }: Props): ReactNode {
  const counts: readonly (readonly [ItemStatus, number])[] = [
    ['PENDING', Math.max(0, job.pending_items - job.processing_items)],
    ['PROCESSING', job.processing_items],
    ['DONE', job.done_items],
    ['NOT_FOUND', job.not_found_items],
    ['ERROR', job.error_items],
    ['SKIPPED', job.skipped_items],
  ];
  return (
    <fieldset className="flex flex-wrap gap-1 border-b border-line px-3 py-2">
      <legend className="sr-only">Rows by status</legend>
      <Part isOn={status === undefined} onClick={() => onChoose(undefined)}>
        <span className="figures font-medium">{count(job.total_items)}</span> rows
      </Part>
      {counts.map(([each, many]) => (
        <Part key={each} isOn={status === each} onClick={() => onChoose(status === each ? undefined : each)}>
          <span className="figures font-medium">{count(many)}</span> <StatusWord status={each} />
        </Part>
      ))}
    </fieldset>
  );
}

function Part({ isOn, onClick, children }: { isOn: boolean; onClick: () => void; children: ReactNode }): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={`rounded-md border px-2 py-1 text-xs ${isOn ? 'border-water bg-sunken' : 'border-line hover:bg-sunken/60'}`}
    >
      {children}
    </button>
  );
}
