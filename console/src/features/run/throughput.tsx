// Speed of the run, with the controller's decisions under it. Its own chunk, because the chart library is only needed here.
import { type ReactNode, useMemo } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { Plot, type PlotSeries } from '../../ui/chart/plot.tsx';
import { bytes, count, duration, shortCount } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { gatherSample, type Sample } from './throughput-samples.ts';

const speed: PlotSeries = { label: 'speed', token: '--water', scale: 'y', fill: true };
const batch: PlotSeries = { label: 'batch size', token: '--warn', scale: 'y2', stepped: true, dash: [5, 4] };

export default function Throughput({ run }: { run: RunDetail }): ReactNode {
  const samples = gatherSample(run);
  const drawn = useMemo(() => seriesOf(samples, run.decisions), [samples, run.decisions]);
  const summary = averageOf(run);
  const unit = samples.at(-1)?.unit ?? 'rows';
  const decided = run.decisions.length > 0;
  return (
    <div className="flex flex-col gap-2 px-4 py-3">
      {samples.length > 1 ? (
        <>
          <Plot
            label={`Speed over time. ${summary}`}
            height={130}
            x={drawn.x}
            y={decided ? drawn.y : drawn.y.slice(0, 1)}
            series={decided ? [speed, batch] : [speed]}
            format={unit === 'bytes' ? bytes : shortCount}
          />
          <p className="flex flex-wrap gap-4 text-2xs text-ink-3">
            <span className="inline-flex items-center gap-1.5">
              <span className="inline-block h-0.5 w-5 bg-water" /> {unit === 'bytes' ? 'read' : unit} a second
            </span>
            {decided && (
              <span className="inline-flex items-center gap-1.5">
                <span className="inline-block w-5 border-t-2 border-dashed border-warn" /> batch size
              </span>
            )}
            <span className="ml-auto">{summary}</span>
          </p>
        </>
      ) : (
        <p className="text-sm text-ink-2">{summary}</p>
      )}
      <Decisions decisions={run.decisions} />
    </div>
  );
}

function averageOf(run: RunDetail): string {
  const workMs = run.stages.reduce((sum, stage) => sum + (stage.work_ms ?? 0), 0);
  const read = run.receipt?.read ?? run.progress?.done ?? 0;
  if (read === 0 || workMs === 0) return 'No speed to show yet.';
  return `${count(Math.round(read / (workMs / 1000)))} rows a second over ${duration(workMs)} of work`;
}

function seriesOf(
  samples: readonly Sample[],
  decisions: RunDetail['decisions'],
): { x: number[]; y: (number | null)[][] } {
  const steps = decisions.map((decision) => ({ atMs: Date.parse(decision.at), to: decision.to }));
  const start = samples[0]?.atMs ?? 0;
  const x = [...new Set([...samples.map((sample) => sample.atMs), ...steps.map((step) => step.atMs)])]
    .filter((atMs) => atMs >= start)
    .sort((a, b) => a - b);
  const rates = new Map(samples.map((sample) => [sample.atMs, sample.perSecond]));
  let rate: number | null = null;
  const perSecond = x.map((atMs) => {
    rate = rates.get(atMs) ?? rate;
    return rate;
  });
  const sizes = x.map((atMs) => steps.findLast((step) => step.atMs <= atMs)?.to ?? null);
  return { x: x.map((atMs) => atMs / 1000), y: [perSecond, sizes] };
}

function Decisions({ decisions }: { decisions: RunDetail['decisions'] }): ReactNode {
  if (decisions.length === 0) return null;
  const shrunk = decisions.filter((decision) => decision.to < decision.from).length;
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-ink-2 hover:text-ink">
        {count(decisions.length)} decisions of the controller{shrunk > 0 && `, ${count(shrunk)} of them smaller`}
      </summary>
      <ul className="mt-1 flex max-h-44 flex-col gap-0.5 overflow-y-auto">
        {decisions.slice(-100).map((decision) => (
          <li key={`${decision.at}:${decision.knob}:${decision.to}`} className="flex gap-2">
            <span className={decision.to < decision.from ? 'text-warn' : 'text-good'}>
              {decision.to < decision.from ? '▼' : '▲'}
            </span>
            <span className="figures">
              {decision.knob} {count(decision.from)} → {count(decision.to)}
            </span>
            <span className="text-ink-2">{decision.reason}</span>
            <span className="ml-auto text-ink-3">
              <Moment at={decision.at} as="clock" />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
