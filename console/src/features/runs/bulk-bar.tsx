// Acts on many runs. The bar asks for the count first and sends it with the action: if the count has changed meanwhile, the server does nothing.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { Button } from '../../ui/button.tsx';
import { count, plural } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Modal } from '../../ui/modal.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { type RunFilters, toApiFilter } from './run-filters.ts';

const actions = [
  { action: 'hold', label: 'Hold', done: 'held' },
  { action: 'resume', label: 'Resume', done: 'resumed' },
  { action: 'cancel', label: 'Cancel', done: 'cancelled' },
  { action: 'retry', label: 'Retry', done: 'retried' },
] as const;

type Action = (typeof actions)[number];

interface Props {
  readonly selected: readonly string[];
  readonly filters: RunFilters;
  readonly onDone: () => void;
}

export function BulkBar({ selected, filters, onDone }: Props): ReactNode {
  const [chosen, setChosen] = useState<Action>();
  const what = selected.length > 0 ? plural(selected.length, 'run') : 'all runs of this list';
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <span className="text-ink-2">With {what}:</span>
      {actions.map((action) => (
        <Button key={action.action} small onClick={() => setChosen(action)}>
          {action.label}
        </Button>
      ))}
      {selected.length > 0 && (
        <Button small look="quiet" onClick={onDone}>
          Clear selection
        </Button>
      )}
      {chosen && (
        <ConfirmBulk
          action={chosen}
          selected={selected}
          filters={filters}
          onClose={(acted) => {
            setChosen(undefined);
            if (acted) onDone();
          }}
        />
      )}
    </div>
  );
}

function ConfirmBulk({
  action,
  selected,
  filters,
  onClose,
}: {
  action: Action;
  selected: readonly string[];
  filters: RunFilters;
  onClose: (acted: boolean) => void;
}): ReactNode {
  const client = useQueryClient();
  const filter = selected.length > 0 ? { run_ids: [...selected] } : toApiFilter(filters, Date.now());
  const preview = useMutation({
    mutationFn: () => call('runs.bulk', { body: { action: action.action, filter, preview: true } }),
  });
  const act = useMutation({
    mutationFn: (expected: number) => call('runs.bulk', { body: { action: action.action, filter, expected } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['runs'] }),
  });
  const asked = preview.data;
  return (
    <Modal title={`${action.label} runs`} onClose={() => onClose(act.isSuccess)}>
      <div className="flex flex-col gap-3">
        {preview.isIdle && <CountFirst onCount={() => preview.mutate()} />}
        {preview.isPending && <p role="status">Counting…</p>}
        {preview.isError && <ProblemNote error={preview.error} />}
        {asked && !act.data && (
          <>
            <p>
              <strong>{plural(asked.count, 'run')}</strong> will be {action.done}.
              {asked.count === 0 && ' None of them is in a state that allows it.'}
            </p>
            <ul className="figures list-inside list-disc text-xs text-ink-2">
              {asked.sample.slice(0, 5).map((run) => (
                <li key={run.run_id} className="truncate">
                  {inertText(run.title ?? run.run_id)} · {run.status}
                </li>
              ))}
              {asked.count > 5 && <li>and {count(asked.count - 5)} more</li>}
            </ul>
            {act.isError && <ProblemNote error={act.error} onRetry={() => preview.mutate()} />}
            <div className="flex justify-end gap-2">
              <Button onClick={() => onClose(false)}>Go back</Button>
              <Button
                look={action.action === 'cancel' ? 'danger' : 'main'}
                disabled={asked.count === 0}
                busy={act.isPending}
                onClick={() => act.mutate(asked.count)}
              >
                {action.label} {plural(asked.count, 'run')}
              </Button>
            </div>
          </>
        )}
        {act.data && (
          <>
            <p role="status">
              {plural(act.data.changed, 'run')} {action.done}
              {act.data.skipped.length > 0 &&
                `, ${count(act.data.skipped.length)} skipped because their state had changed`}
              .
            </p>
            <Button look="main" className="self-end" onClick={() => onClose(true)}>
              Close
            </Button>
          </>
        )}
      </div>
    </Modal>
  );
}

function CountFirst({ onCount }: { onCount: () => void }): ReactNode {
  return (
    <div className="flex items-center justify-between gap-3">
      <p>First count the affected runs.</p>
      <Button look="main" autoFocus onClick={onCount}>
        Count
      </Button>
    </div>
  );
}
