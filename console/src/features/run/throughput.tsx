// Speed of the run, with the controller's decisions under it. Its own chunk, because the chart library is only needed here.
import { type ReactNode, useMemo } from 'react';
import type { RunDetail } from '../../app/api.ts';
import { runPartsOf } from '../../pipelines/all.ts';
import { Plot, type PlotSeries } from '../../ui/chart/plot.tsx';
import { bytes, count, duration, plural, shortCount } from '../../ui/figures.ts';
import { Moment } from '../../ui/moment.tsx';
import { wordsOf } from '../../ui/state-pill.tsx';
import { type Curve, curvesOf } from './throughput-samples.ts';

const speed: PlotSeries = { label: 'speed', token: '--water', scale: 'y', fill: true };
const batch: PlotSeries = { label: 'batch size', token: '--warn', scale: 'y2', stepped: true, dash: [5, 4] };
const smaller: PlotSeries = { label: 'made smaller', token: '--bad', scale: 'y2', marks: true };

export default function Throughput({ run }: { run: RunDetail }): ReactNode {
  const { samples, decisions } = run;
  const curves = useMemo(() => curvesOf({ samples, decisions }), [samples, decisions]);
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      {curves.map((curve) => (
        <StageSpeed key={curve.stage} curve={curve} />
      ))}
      <p className="text-sm text-ink-2">{averageOf(run, curves.length > 0)}</p>
      <Decisions decisions={decisions} />
    </div>
  );
}

function StageSpeed({ curve }: { curve: Curve }): ReactNode {
  const decided = curve.knob !== undefined;
  const { unit, stage } = curve;
  const y = useMemo(
    () => (decided ? [curve.perSecond, curve.sizes, curve.shrunk] : [curve.perSecond]),
    [curve, decided],
  );
  return (
    <div className="flex flex-col gap-1">
      <Plot
        label={`Speed of ${wordsOf(stage)} over time, in ${unit} a second`}
        height={120}
        x={curve.x}
        y={y}
        series={decided ? [speed, batch, smaller] : [speed]}
        format={unit === 'bytes' ? bytes : shortCount}
      />
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-2xs text-ink-3">
        <span className="inline-flex items-center gap-1.5">
          <span className="inline-block h-0.5 w-5 bg-water" /> {wordsOf(stage)}: {unit} a second
        </span>
        {decided && (
          <>
            <span className="inline-flex items-center gap-1.5">
              <span className="inline-block w-5 border-t-2 border-dashed border-warn" /> {curve.knob}
            </span>
            <span className="inline-flex items-center gap-1.5">
              <span className="inline-block size-2 rounded-full bg-bad" /> made smaller
            </span>
          </>
        )}
      </p>
    </div>
  );
}

function averageOf(run: RunDetail, isDrawn: boolean): string | null {
  const workMs = run.stages.reduce((sum, stage) => sum + (stage.work_ms ?? 0), 0);
  const read = run.receipt?.read ?? 0;
  if (read > 0 && workMs > 0) {
    const unit = runPartsOf(run.pipeline).unit ?? 'rows';
    return `${count(Math.round(read / (workMs / 1000)))} ${unit} a second over ${duration(workMs)} of work`;
  }
  if (isDrawn) return null;
  if (run.finished_at !== null) return 'It ended before there was a speed to measure.';
  return run.phase === 'waiting' ? 'It has not started yet.' : 'The first figures come in a moment.';
}

function Decisions({ decisions }: { decisions: RunDetail['decisions'] }): ReactNode {
  if (decisions.length === 0) return null;
  const shrunk = decisions.filter((decision) => decision.to < decision.from).length;
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-ink-2 hover:text-ink">
        {plural(decisions.length, 'decision')} of the controller{shrunk > 0 && `, ${count(shrunk)} of them smaller`}
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
