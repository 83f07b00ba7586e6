import { describe, expect, it } from 'vitest';
import { layoutGantt } from './gantt-layout.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 1, 15, 12, 0, seconds)).toISOString();
const stage = {
  queue_wait_ms: null,
  work_ms: null,
  attempts: 1,
  attempts_allowed: null,
  queued_at: null,
  started_at: null,
  finished_at: null,
};
const attempt = { worker: 'w1', queue_wait_ms: null, work_ms: null, outcome: 'pass', error: null };

describe('the stage chart', () => {
  it('puts the queue wait before the work, on one scale from creation to end', () => {
    const gantt = layoutGantt(
      {
        created_at: at(0),
        finished_at: at(10),
        stages: [{ ...stage, stage: 'parse', state: 'done' }],
        samples: [],
        attempts: [
          {
            ...attempt,
            attempt: 1,
            number: 1,
            stage: 'parse',
            queued_at: at(0),
            started_at: at(2),
            finished_at: at(10),
          },
        ],
      },
      Date.parse(at(99)),
    );
    expect(gantt.rows[0]?.bars[0]).toMatchObject({
      wait: { from: 0, to: 0.2 },
      work: { from: 0.2, to: 1 },
      waitMs: 2_000,
      workMs: 8_000,
      open: false,
    });
  });

  it('marks when the worker gave a sign of activity, on the attempt it belongs to, and no more marks than can be told apart', () => {
    const samples = Array.from({ length: 400 }, (_, index) => ({
      at: new Date(Date.parse(at(2)) + index * 20).toISOString(),
      attempt: 1,
      stage: 'parse',
      done: index,
      unit: 'rows',
    }));
    const gantt = layoutGantt(
      {
        created_at: at(0),
        finished_at: at(10),
        stages: [{ ...stage, stage: 'parse', state: 'done' }],
        samples: [...samples, { at: at(9), attempt: 2, stage: 'promote', done: 1, unit: 'rows' }],
        attempts: [
          {
            ...attempt,
            attempt: 1,
            number: 1,
            stage: 'parse',
            queued_at: at(0),
            started_at: at(2),
            finished_at: at(10),
          },
        ],
      },
      Date.parse(at(99)),
    );
    const beats = gantt.rows[0]?.bars[0]?.beats ?? [];
    expect(beats[0]).toBe(0.2);
    expect(beats.at(-1)).toBeCloseTo(0.998);
    expect(beats.length).toBeLessThanOrEqual(41);
  });

  it('stacks the attempts of a stage as sub-rows and keeps the running one open to the right edge', () => {
    const gantt = layoutGantt(
      {
        created_at: at(0),
        finished_at: null,
        stages: [{ ...stage, stage: 'promote', state: 'active', attempts: 2 }],
        samples: [],
        attempts: [
          {
            ...attempt,
            attempt: 1,
            number: 1,
            stage: 'promote',
            queued_at: null,
            started_at: at(0),
            finished_at: at(4),
            outcome: 'lost',
          },
          {
            ...attempt,
            attempt: 2,
            number: 2,
            stage: 'promote',
            queued_at: at(4),
            started_at: at(6),
            finished_at: null,
            outcome: null,
          },
        ],
      },
      Date.parse(at(8)),
    );
    expect(gantt.rows[0]?.bars.map((bar) => [bar.attempt, bar.open, bar.work?.to])).toEqual([
      [1, false, 0.5],
      [2, true, 1],
    ]);
  });

  it('shows a stage that only waits as a lead-in that grows', () => {
    const gantt = layoutGantt(
      {
        created_at: at(0),
        finished_at: null,
        stages: [{ ...stage, stage: 'parse', state: 'waiting', queued_at: at(0), attempts: 0 }],
        samples: [],
        attempts: [],
      },
      Date.parse(at(5)),
    );
    expect(gantt.rows[0]?.bars).toEqual([
      expect.objectContaining({ wait: { from: 0, to: 1 }, work: undefined, open: true }),
    ]);
  });

  it('gives few round ticks whatever the span', () => {
    for (const seconds of [0, 1, 7, 95, 4_000, 400_000]) {
      const gantt = layoutGantt(
        { created_at: at(0), finished_at: at(seconds), stages: [], attempts: [], samples: [] },
        0,
      );
      expect(gantt.ticks.length).toBeGreaterThan(1);
      expect(gantt.ticks.length).toBeLessThan(9);
    }
  });
});
