// Speed over time, stage by stage, from the signs of progress the server keeps; so a run that ended long ago is drawn as well.
import type { RunDetail } from '../../app/api.ts';

type Sample = RunDetail['samples'][number];
type Decision = RunDetail['decisions'][number];

export interface Curve {
  readonly stage: string;
  readonly unit: string;
  /** Seconds since the epoch, rising. */
  readonly x: readonly number[];
  readonly perSecond: readonly (number | null)[];
  /** Size of a batch at each moment, and the moments at which it was made smaller. */
  readonly sizes: readonly (number | null)[];
  readonly shrunk: readonly (number | null)[];
  readonly knob: string | undefined;
}

/** One curve per stage that has at least three moments; with fewer there is no curve to see. */
export function curvesOf(run: Pick<RunDetail, 'samples' | 'decisions'>): Curve[] {
  const stages = [...new Set(run.samples.map((sample) => sample.stage))];
  return stages.flatMap((stage) => {
    const samples = run.samples.filter((sample) => sample.stage === stage);
    return samples.length < 3 ? [] : [curveOf(stage, samples, mainKnob(run.decisions, stage))];
  });
}

function curveOf(stage: string, samples: readonly Sample[], decisions: readonly Decision[]): Curve {
  const rates = new Map<number, number>();
  for (const [index, sample] of samples.entries()) {
    const before = samples[index - 1];
    if (before) rates.set(Date.parse(sample.at), rateOf(before, sample));
  }
  const from = Date.parse(samples[0]?.at ?? '');
  const steps = decisions.map((each) => ({ ms: Math.max(from, Date.parse(each.at)), from: each.from, to: each.to }));
  const moments = [...new Set([...rates.keys(), ...steps.map(({ ms }) => ms)])].sort((a, b) => a - b);
  let rate: number | null = null;
  return {
    stage,
    unit: samples.at(-1)?.unit ?? 'items',
    x: moments.map((ms) => ms / 1000),
    perSecond: moments.map((ms) => {
      rate = rates.get(ms) ?? rate;
      return rate;
    }),
    sizes: moments.map((ms) => steps.findLast((step) => step.ms <= ms)?.to ?? steps[0]?.from ?? null),
    shrunk: moments.map((ms) => steps.findLast((step) => step.ms === ms && step.to < step.from)?.to ?? null),
    knob: decisions[0]?.knob,
  };
}

/** A new attempt, another unit or a count that starts again says nothing about speed. */
function rateOf(before: Sample, sample: Sample): number {
  if (before.attempt !== sample.attempt || before.unit !== sample.unit || sample.done < before.done) return 0;
  const ms = Date.parse(sample.at) - Date.parse(before.at);
  return ms <= 0 ? 0 : ((sample.done - before.done) / ms) * 1000;
}

/** The size that was changed most often: only one can share the chart. */
function mainKnob(decisions: readonly Decision[], stage: string): Decision[] {
  const own = decisions.filter((each) => each.stage === stage);
  const knobs = [...new Set(own.map((each) => each.knob))].map((knob) => own.filter((each) => each.knob === knob));
  return knobs.sort((a, b) => b.length - a.length)[0] ?? [];
}
