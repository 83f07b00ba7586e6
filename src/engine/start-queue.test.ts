import { describe, expect, it } from 'vitest';
import { GIVE_BACK_MS, noRoom, type Startable, StartQueue } from './start-queue.ts';

const SLOTS = 8;
const MAX_CLAIM = 2_000;

/** A queue on a clock that the test moves. */
function queueAt() {
  const clock = { ms: 0 };
  const queue = new StartQueue<Startable>({ slots: SLOTS, maxClaim: MAX_CLAIM, now: () => clock.ms });
  return {
    clock,
    queue,
    /** Claims and works `count` runs one after the other, each taking `ms`. */
    see(pipeline: string, ms: number, count = 1_000, stage = 'work') {
      queue.add(runs(pipeline, count, stage));
      for (let number = 0; number < count; number += 1) {
        const run = queue.shift() as Startable;
        clock.ms += ms;
        queue.remove(run, true);
      }
    },
    begin(count: number) {
      return Array.from({ length: count }, () => queue.shift() as Startable);
    },
  };
}

const runs = (pipeline: string, count: number, stage = 'work'): Startable[] =>
  Array.from({ length: count }, () => ({ run: { pipeline, stage } }));

describe('a cold worker', () => {
  it('takes as many runs as it has slots, and no more until one ends', () => {
    const { queue, begin } = queueAt();
    expect(queue.room()).toEqual({ slots: SLOTS, ahead: new Map() });
    queue.add(runs('slow', SLOTS));
    const begun = begin(SLOTS);
    expect(queue.room()).toBe(noRoom);
    queue.remove(begun[0] as Startable, false);
    expect(queue.room().slots).toBe(1);
  });

  it('claims more runs ahead the more short ones it has seen', () => {
    const { queue, see } = queueAt();
    see('quick', 1, 8);
    expect(queue.room().ahead.get('quick')).toBe(128);
    see('quick', 1, 16);
    expect(queue.room().ahead.get('quick')).toBe(384);
  });
});

describe('a worker that saw short runs', () => {
  it('takes no moment of standing still for long runs: as many in a row must be long as can be at work together', () => {
    const { queue, see } = queueAt();
    see('quick', 0.1);
    see('quick', 200, SLOTS);
    see('quick', 0.1, 30);
    expect(queue.room().ahead.get('quick')).toBe(MAX_CLAIM);
    see('quick', 200, SLOTS + 1);
    expect(queue.room().ahead.has('quick')).toBe(false);
  });

  it('claims as many of them as its slots work off in 50 ms, and none before half of them are gone', () => {
    const { queue, see, begin } = queueAt();
    see('quick', 2);
    const wanted = queue.room().ahead.get('quick') ?? 0;
    expect(wanted).toBe((50 * SLOTS) / 2);
    queue.add(runs('quick', wanted));
    begin(SLOTS);
    expect(queue.room()).toBe(noRoom);
    begin(wanted / 2);
    expect(queue.room().ahead.get('quick')).toBeGreaterThan(0);
  });

  it('takes no more long runs of another pipeline, or of one it has never seen, than it has slots', () => {
    const { queue, see } = queueAt();
    see('quick', 0.02);
    see('slow', 4_000, 1);
    const { slots, ahead } = queue.room();
    expect([slots, [...ahead.keys()]]).toEqual([SLOTS, ['quick']]);
    queue.add(runs('slow', SLOTS));
    expect(queue.room()).toBe(noRoom);
  });

  it('counts the longest stage of a pipeline, as nobody knows which one comes', () => {
    const { queue, see } = queueAt();
    see('mixed', 1, 100, 'read');
    see('mixed', 300, 1, 'write');
    expect(queue.room().ahead.has('mixed')).toBe(false);
  });

  it('claims nothing ahead for slots that long runs hold', () => {
    const { queue, see, begin } = queueAt();
    see('quick', 2);
    queue.add(runs('slow', SLOTS / 2));
    begin(SLOTS / 2);
    expect(queue.room()).toEqual({ slots: SLOTS / 2, ahead: new Map([['quick', (50 * SLOTS) / 2 / 2]]) });
  });

  it('lets the short runs of a claim begin before the long ones, which would keep the slots from them', () => {
    const { queue, see } = queueAt();
    see('quick', 1);
    queue.add([...runs('slow', 1), ...runs('quick', 2)]);
    expect([queue.shift(), queue.shift(), queue.shift()].map((each) => each?.run.pipeline)).toEqual([
      ...['quick', 'quick', 'slow'],
    ]);
  });

  it('shares what it claims ahead between the pipelines that are at work', () => {
    const { queue, see } = queueAt();
    see('one', 0.5);
    see('two', 0.5);
    expect([...queue.room().ahead.values()]).toEqual([400, 400]);
  });
});

describe('what was claimed and cannot begin soon', () => {
  it('is given back once it has waited for a second, when short runs have become long', () => {
    const { clock, queue, see, begin } = queueAt();
    see('fickle', 0.1);
    queue.add(runs('fickle', 500));
    begin(SLOTS);
    clock.ms += GIVE_BACK_MS - 1;
    expect(queue.takeSurplus()).toEqual([]);
    expect(queue.room()).toBe(noRoom);
    clock.ms += 1;
    expect(queue.takeSurplus()).toHaveLength(500 - SLOTS);
    expect(queue.size).toBe(0);
  });

  it('is given back as far as the slots cannot work it off in 50 ms', () => {
    const { clock, queue, see, begin } = queueAt();
    see('fickle', 1);
    queue.add(runs('fickle', 1_000));
    clock.ms += GIVE_BACK_MS;
    begin(SLOTS);
    const given = queue.takeSurplus().length;
    expect(queue.size + given).toBe(1_000 - SLOTS);
    expect(queue.size).toBe(50 * SLOTS + 1);
  });

  it('stays while it moves on', () => {
    const { clock, queue, see, begin } = queueAt();
    see('quick', 1);
    queue.add(runs('quick', 300));
    clock.ms += GIVE_BACK_MS;
    begin(1);
    expect(queue.takeSurplus()).toEqual([]);
  });
});
