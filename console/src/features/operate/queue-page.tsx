import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../../src/contract/api/client.ts';
import { call, type Pipeline } from '../../app/api.ts';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { useIs, useMe } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { count, plural } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { numbersTo } from '../../ui/numbers-to.ts';
import { Panel } from '../../ui/page.tsx';
import { LoadingLines, ProblemNote } from '../../ui/states.tsx';
import { lanesQuery } from './list-lanes.ts';

type Lane = AnswerOf<'operate.lanes'>['data'][number];

/** The queues: which runs are at work, which wait, and why the first one waits. */
export function QueuePage(): ReactNode {
  const lanes = useQuery(lanesQuery);
  const pipelines = useQuery(pipelinesQuery);
  if (lanes.isPending || pipelines.isPending) return <LoadingLines lines={6} />;
  if (lanes.isError) return <ProblemNote error={lanes.error} onRetry={() => void lanes.refetch()} />;
  if (pipelines.isError) return <ProblemNote error={pipelines.error} onRetry={() => void pipelines.refetch()} />;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {pipelines.data.data.map((pipeline) => (
        <PipelineBoard
          key={pipeline.name}
          pipeline={pipeline}
          lanes={lanes.data.data.filter((lane) => lane.pipeline === pipeline.name)}
        />
      ))}
    </div>
  );
}

/** What somebody may have to look at; ends that need nobody are not counted here. */
const counted = [
  { phase: 'waiting', words: 'waiting' },
  { phase: 'active', words: 'working' },
  { phase: 'failed', words: 'failed' },
  { phase: 'dead', words: 'dead letters' },
] as const;

function PipelineBoard({ pipeline, lanes }: { pipeline: Pipeline; lanes: readonly Lane[] }): ReactNode {
  return (
    <Panel title={pipeline.title} aside={<PauseControl pipeline={pipeline} />}>
      {pipeline.paused && (
        <p className="border-b border-line bg-warn-soft px-4 py-2 text-sm">
          ❙❙ Paused{pipeline.paused.scope === 'installation' ? ' for the whole installation' : ''} by{' '}
          {pipeline.paused.by ?? 'somebody'} <Moment at={pipeline.paused.at} />. Active runs continue; waiting runs do
          not start.
        </p>
      )}
      <p className="flex flex-wrap gap-4 border-b border-line px-4 py-2 text-xs text-ink-2">
        {counted.map(({ phase, words }) => (
          <Link key={phase} to="/runs" search={{ pipeline: pipeline.name, phase }} className="hover:underline">
            <span className="figures font-medium text-ink">{count(pipeline.counts[phase] ?? 0)}</span>{' '}
            {pipeline.counts[phase] === 1 ? words.replace(/s$/, '') : words}
          </Link>
        ))}
      </p>
      {lanes.length === 0 ? (
        <p className="px-4 py-3 text-sm text-ink-2">The queue is empty: no run is waiting or active.</p>
      ) : (
        <ul className="divide-y divide-line">
          {lanes.map((lane) => (
            <LaneRow key={lane.lane} lane={lane} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

const drawn = 24;

/** Most lanes are a tenant's own, named by its id; what comes after the id tells several of one tenant apart. */
function laneName(lane: string, tenantId: string): string {
  if (!lane.startsWith(tenantId)) return lane;
  return lane.slice(tenantId.length).replace(/^[:/]/, '') || 'All runs of this tenant';
}

function LaneRow({ lane }: { lane: Lane }): ReactNode {
  const me = useMe();
  const slots = lane.cap ?? lane.active;
  return (
    <li className="flex flex-col gap-1.5 px-4 py-2.5">
      <div className="flex items-baseline justify-between gap-3">
        <span className="truncate text-xs font-medium" title={lane.lane}>
          {laneName(lane.lane, me.tenant.tenant_id)}
        </span>
        <span className="text-xs whitespace-nowrap text-ink-2">
          {lane.cap === null ? `${count(lane.active)} working` : `${count(lane.active)}/${count(lane.cap)} working`} ·{' '}
          {count(lane.waiting)} waiting
        </span>
      </div>
      <div
        role="img"
        aria-label={`${lane.active} working, ${lane.waiting} waiting`}
        className="flex items-center gap-0.5 overflow-hidden"
      >
        {numbersTo(Math.min(slots, drawn)).map((slot) => (
          <span
            key={`slot-${slot}`}
            className={`h-4 w-6 rounded-xs border ${slot < lane.active ? 'border-water bg-water' : 'border-dashed border-line-strong'}`}
          />
        ))}
        {lane.waiting > 0 && <span className="mx-1 h-5 w-px bg-line-strong" />}
        {numbersTo(Math.min(lane.waiting, drawn)).map((place) => (
          <span key={`wait-${place}`} className="hatched h-3 w-3 rounded-xs border border-line-strong" />
        ))}
        {lane.waiting > drawn && (
          <span className="figures ml-1 text-2xs text-ink-3">+{count(lane.waiting - drawn)}</span>
        )}
      </div>
      {lane.wait && (
        <p className="text-xs text-ink-2">
          <span className="inline-block first-letter:uppercase">{lane.wait}</span>
          {lane.oldest_waiting_at && (
            <>
              {' '}
              · oldest <Moment at={lane.oldest_waiting_at} />
            </>
          )}
        </p>
      )}
    </li>
  );
}

function PauseControl({ pipeline }: { pipeline: Pipeline }): ReactNode {
  const isAdmin = useIs('admin');
  const client = useQueryClient();
  const params = { pipeline: pipeline.name };
  const toggle = useMutation({
    mutationFn: () => (pipeline.paused ? call('pipelines.resume', { params }) : call('pipelines.pause', { params })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['pipelines'] }),
  });
  if (!isAdmin || pipeline.paused?.scope === 'installation')
    return pipeline.lane_cap === null ? null : <span>{plural(pipeline.lane_cap, 'slot')} a lane</span>;
  return (
    <Button small icon={pipeline.paused ? 'play' : 'pause'} busy={toggle.isPending} onClick={() => toggle.mutate()}>
      {pipeline.paused ? 'Resume' : 'Pause'}
    </Button>
  );
}
