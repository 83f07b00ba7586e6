import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useMemo } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { pipelinesQuery } from '../../app/list-pipelines.ts';
import { wordsOf } from '../../ui/state-pill.tsx';
import { EmptyState, LoadingLines } from '../../ui/states.tsx';
import { layoutMachine, nodeHeight, nodeWidth, type PlacedState } from './machine-layout.ts';

/** The pipeline's machine as it was declared, with this run's place in it. */
export function MachineDiagram({ run }: { run: RunDetail }): ReactNode {
  const pipelines = useQuery(pipelinesQuery);
  const markerId = useId();
  const machine = pipelines.data?.data.find((each) => each.name === run.pipeline)?.machine;
  const drawing = useMemo(() => (machine ? layoutMachine(machine) : undefined), [machine]);
  if (pipelines.isPending) return <LoadingLines lines={3} />;
  if (!drawing) return <EmptyState title={`The server no longer knows the pipeline “${run.pipeline}”`} />;
  const tried = new Set(run.attempts.map((attempt) => attempt.stage));
  const arrows = drawing.arrows.map((arrow) => `${arrow.from} to ${arrow.to} on ${arrow.events}`).join('; ');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="overflow-x-auto p-3" tabIndex={0} aria-label="State diagram">
      <svg
        width={drawing.width}
        height={drawing.height}
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        role="img"
        aria-label={`The run is in state ${wordsOf(run.status)}. Possible moves: ${arrows}`}
        className="mx-auto block max-w-none"
      >
        <defs>
          <marker
            id={markerId}
            viewBox="0 0 8 8"
            refX="6"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path d="M0 0.500 7 4 0 7.500z" fill="var(--line-strong)" />
          </marker>
        </defs>
        {drawing.arrows.map((arrow) => (
          <path
            key={`${arrow.from}>${arrow.to}`}
            d={arrow.path}
            fill="none"
            stroke="var(--line-strong)"
            strokeWidth={arrow.kind === 'ending' ? 1 : 1.3}
            strokeDasharray={arrow.kind === 'back' ? '4 3' : undefined}
            markerEnd={`url(#${markerId})`}
          />
        ))}
        {drawing.arrows.map(
          (arrow) =>
            arrow.label && (
              <text
                key={`${arrow.from}>${arrow.to}`}
                x={arrow.label.x}
                y={arrow.label.y}
                textAnchor={arrow.kind === 'ending' ? 'start' : 'middle'}
                className="fill-ink-3 text-2xs"
                stroke="var(--surface)"
                strokeWidth={3}
                paintOrder="stroke"
              >
                {arrow.events}
              </text>
            ),
        )}
        {drawing.states.map((state) => (
          <StateNode
            key={state.name}
            state={state}
            current={state.name === run.status}
            passed={state.stage !== null && tried.has(state.stage)}
          />
        ))}
      </svg>
    </section>
  );
}

const ring: Record<PlacedState['phase'], string> = {
  waiting: 'var(--line-strong)',
  active: 'var(--water)',
  done: 'var(--good)',
  failed: 'var(--bad)',
  dead: 'var(--bad)',
};

function ringOf({ phase, name }: PlacedState): string {
  return name === 'cancelled' ? 'var(--line-strong)' : ring[phase];
}

function StateNode({ state, current, passed }: { state: PlacedState; current: boolean; passed: boolean }): ReactNode {
  return (
    <g transform={`translate(${state.x} ${state.y})`}>
      <rect
        width={nodeWidth}
        height={nodeHeight}
        rx={state.stage === null ? nodeHeight / 2 : 6}
        fill={
          current
            ? state.phase === 'waiting' || state.name === 'cancelled'
              ? 'var(--ink-2)'
              : ring[state.phase]
            : 'var(--raised)'
        }
        stroke={ringOf(state)}
        strokeWidth={current ? 2 : passed ? 1.6 : 1}
        strokeDasharray={state.phase === 'waiting' && !current ? '3 2.500' : undefined}
      />
      <text
        x={nodeWidth / 2}
        y={state.stage ? 15 : 22}
        textAnchor="middle"
        className={`text-xs font-medium ${current ? 'fill-paper' : 'fill-ink'}`}
      >
        {current ? `▸ ${wordsOf(state.name)}` : wordsOf(state.name)}
      </text>
      {state.stage && (
        <text
          x={nodeWidth / 2}
          y={28}
          textAnchor="middle"
          className={`text-2xs ${current ? 'fill-paper' : 'fill-ink-3'}`}
        >
          {state.phase === 'waiting' ? `for ${state.stage}` : state.stage}
        </text>
      )}
    </g>
  );
}
