// The run's events as they happen: filter by level, follow the end, open a line to see all of it.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { RunEvent } from '../../app/api.ts';
import { onLiveEvent } from '../../app/live-feed.ts';
import { inertText } from '../../ui/inert-text.ts';
import { Panel } from '../../ui/page.tsx';
import { clockTime, exactTime } from '../../ui/relative-time.ts';
import { EmptyState, LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { type Level, levelOf, levels, oneLine } from './event-level.ts';
import { appendRunEvent, runEventsQuery } from './list-run-events.ts';

const marks: Record<Level, { mark: string; look: string }> = {
  info: { mark: '·', look: 'text-ink-3' },
  warning: { mark: '▲', look: 'text-warn' },
  error: { mark: '✕', look: 'text-bad' },
};

const shownLines = 400;

export function Tail({ runId }: { runId: string }): ReactNode {
  const client = useQueryClient();
  const events = useQuery(runEventsQuery(runId));
  const [from, setFrom] = useState<Level>('info');
  const [follow, setFollow] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      onLiveEvent((event) => {
        if (event.run_id === runId) appendRunEvent(client, runId, event);
      }),
    [client, runId],
  );
  const lowest = levels.indexOf(from);
  const lines = (events.data ?? []).filter((event) => levels.indexOf(levelOf(event)) >= lowest).slice(-shownLines);
  const last = lines.at(-1)?.position;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when a line arrives
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, last]);
  return (
    <Panel
      title="Events"
      aside={
        <span className="flex items-center gap-3">
          <label className="flex items-center gap-1.5">
            Level
            <select
              value={from}
              onChange={(event) => setFrom(levels.find((each) => each === event.target.value) ?? 'info')}
              className="control min-h-6! text-xs!"
            >
              <option value="info">all</option>
              <option value="warning">warnings and errors</option>
              <option value="error">errors</option>
            </select>
          </label>
          <label className="flex items-center gap-1.5">
            <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.target.checked)} />
            Follow
          </label>
        </span>
      }
    >
      {events.isPending && <LoadingLines lines={3} />}
      {events.isError && <ProblemNote error={events.error} onRetry={() => void events.refetch()} />}
      {events.data && lines.length === 0 && (
        <EmptyState title={events.data.length === 0 ? 'No events yet' : 'No event of this level'} />
      )}
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        <div ref={box} tabIndex={0} role="log" aria-label="Events of the run" className="max-h-80 overflow-auto py-1.5">
          {lines.map((event) => (
            <Line key={event.position} event={event} />
          ))}
        </div>
      )}
    </Panel>
  );
}

function Line({ event }: { event: RunEvent }): ReactNode {
  const level = levelOf(event);
  return (
    <details className="group px-4 open:bg-sunken">
      <summary className="figures flex cursor-pointer min-h-6 list-none items-center gap-2.5 py-0.5 text-xs hover:bg-sunken">
        <time dateTime={event.occurred_at} title={exactTime(event.occurred_at)} className="shrink-0 text-ink-3">
          {clockTime(event.occurred_at)}
        </time>
        <span className={marks[level].look}>
          <span aria-hidden="true">{marks[level].mark}</span>
          <span className="sr-only">{level}</span>
        </span>
        <span className="shrink-0 font-medium">{event.type}</span>
        <span className="min-w-0 truncate text-ink-2">{inertText(oneLine(event.data))}</span>
      </summary>
      <pre className="figures overflow-x-auto pb-2 text-xs whitespace-pre-wrap text-ink-2">
        {JSON.stringify(event.data, null, 2)}
      </pre>
    </details>
  );
}
