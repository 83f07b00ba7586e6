// The grid of a job: every row with its fate, filtered, selected, corrected and processed again; live while the job is at work.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../../app/api.ts';
import { runQuery } from '../../features/run/show-run.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/figures.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { CounterStrip } from './counter-strip.tsx';
import type { GridSearch } from './grid-search.ts';
import { ItemPanel } from './item-panel.tsx';
import { ItemsGrid } from './items-grid.tsx';
import { JobActions } from './job-actions.tsx';
import { type Job, jobOfRun, jobQuery } from './list-items.ts';
import { MOST_ROWS, useGridRows } from './use-grid-rows.ts';

const route = getRouteApi('/shell/r/$runId/items');

export function ItemsPage(): ReactNode {
  const { runId } = route.useParams();
  const run = useQuery(runQuery(runId));
  const jobId = run.data === undefined ? '' : jobOfRun(run.data);
  const job = useQuery({ ...jobQuery(jobId), enabled: jobId !== '' });
  if (run.isError || job.isError) return <ProblemNote error={run.error ?? job.error} />;
  if (job.data === undefined) return <LoadingLines lines={8} />;
  return <JobGrid job={job.data} />;
}

function JobGrid({ job }: { job: Job }): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/r/$runId/items' });
  const client = useQueryClient();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<string | undefined>();
  const rows = useGridRows(job, search);
  const { jobId, queue_state: state } = job;
  // The last rows may have changed after the last look at them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the state changes, and only then
  useEffect(() => {
    for (const what of ['rows', 'grid']) void client.invalidateQueries({ queryKey: ['items', jobId, what] });
  }, [client, jobId, state]);
  const reprocess = useMutation({
    mutationFn: () =>
      call('jobs.reprocess', { params: { job_id: job.jobId }, body: { scope: 'items', itemIds: [...selected] } }),
    onSuccess: () => {
      setSelected(new Set());
      void client.invalidateQueries({ queryKey: ['items', job.jobId] });
    },
  });
  return (
    <Panel
      title="Items"
      aside={
        <span className="flex flex-wrap items-center justify-end gap-2">
          <Waiting job={job} />
          {selected.size > 0 && (
            <Button small look="main" icon="replay" busy={reprocess.isPending} onClick={() => reprocess.mutate()}>
              Reprocess {count(selected.size)} selected
            </Button>
          )}
          <JobActions job={job} />
        </span>
      }
    >
      <CounterStrip
        job={job}
        status={search.status}
        onChoose={(status) => {
          const { status: _, ...others } = search;
          void navigate({ search: status === undefined ? others : { ...others, status }, replace: true });
        }}
      />
      <TextFilter job={job} search={search} />
      {reprocess.isError && <ProblemNote error={reprocess.error} />}
      {rows.error !== null ? (
        <ProblemNote error={rows.error} onRetry={rows.retry} />
      ) : rows.isPending ? (
        <LoadingLines lines={8} />
      ) : (
        <ItemsGrid job={job} rows={rows} selected={selected} onSelect={setSelected} onOpen={setOpen} />
      )}
      {open !== undefined && (
        <ItemPanel jobId={job.jobId} itemId={open} columns={job.input_columns} onClose={() => setOpen(undefined)} />
      )}
    </Panel>
  );
}

/** Why the job does nothing at the moment, and when it goes on. */
function Waiting({ job }: { job: Job }): ReactNode {
  if (job.queue_state !== 'QUEUED' && job.queue_state !== 'PAUSED') return null;
  return (
    <span className="text-ink-2">
      {inertText(job.why ?? 'waiting')}
      {job.next_attempt_at !== null && (
        <>
          {' · next attempt '}
          <Moment at={job.next_attempt_at} />
        </>
      )}
    </span>
  );
}

function TextFilter({ job, search }: { job: Job; search: GridSearch }): ReactNode {
  const navigate = useNavigate({ from: '/r/$runId/items' });
  const go = (next: GridSearch) => void navigate({ search: next, replace: true });
  const { text: _t, column: _c, row: _r, ...others } = search;
  const [text, setText] = useState(search.text ?? '');
  const [column, setColumn] = useState(search.column ?? '');
  const find = () =>
    go({
      ...others,
      ...(text === '' ? {} : { text }),
      ...(column === '' ? {} : { column }),
    });
  return (
    <form
      className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-1.5 text-xs"
      onSubmit={(event) => {
        event.preventDefault();
        find();
      }}
    >
      <select
        aria-label="Column to look in"
        className="control min-h-7! text-xs!"
        value={column}
        onChange={({ target }) => setColumn(target.value)}
      >
        <option value="">any column</option>
        {job.input_columns.map((name) => (
          <option key={name} value={name}>
            {inertText(name)}
          </option>
        ))}
        {job.output_columns.map(({ name, title }) => (
          <option key={`result ${name}`} value={name}>
            {inertText(title)}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Text in a cell"
        placeholder="find text"
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="control min-h-7! w-48 text-xs!"
      />
      <Button small type="submit">
        Find
      </Button>
      {(search.text !== undefined || search.column !== undefined) && (
        <Button
          small
          look="quiet"
          onClick={() => {
            setText('');
            setColumn('');
            go(others);
          }}
        >
          Show all
        </Button>
      )}
      {job.total_items > MOST_ROWS && (
        <label className="ml-auto flex items-center gap-1">
          from row
          <input
            type="number"
            min={1}
            max={job.total_items}
            aria-label="First row of the grid"
            defaultValue={search.row ?? 1}
            className="control min-h-7! w-28 text-xs!"
            onBlur={({ target }) => go({ ...others, row: Math.max(1, Number(target.value) || 1) })}
          />
        </label>
      )}
    </form>
  );
}
