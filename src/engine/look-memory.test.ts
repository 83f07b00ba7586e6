import { describe, expect, it } from 'vitest';
import { LookMemory } from './look-memory.ts';
import { markKey, nothingKnown } from './sql/claim-round.ts';
import type { ClaimedRow } from './sql/claim-runs.ts';

const idAt = (ms: number, rest = 0) => {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${rest.toString(16).padStart(12, '0')}`;
};
const row = (lane: string, id: string, priority = 0) => ({ pipeline: 'p', lane, priority, id }) as ClaimedRow;
const manyRows = (lane: string, from: number) => Array.from({ length: 1_000 }, (_, n) => row(lane, idAt(from, n)));

/** A memory on a clock that the test moves. */
function remembering() {
  const clock = { ms: 0 };
  const memory = new LookMemory(() => clock.ms);
  return { clock, memory };
}

describe('the memory of a claimer', () => {
  it('is not used by who took little, so that released runs are seen at once', () => {
    const { memory } = remembering();
    memory.note(nothingKnown, [row('a', idAt(5_000))], 100, false);
    expect(memory.recall()).toBe(nothingKnown);
  });

  it('is not used where thorough looks take no longer than their runs explain', () => {
    const { memory } = remembering();
    memory.note(nothingKnown, manyRows('a', 5_000), 60, false);
    expect(memory.recall()).toBe(nothingKnown);
  });

  it('says where each lane was last taken from, by priority and id', () => {
    const { memory } = remembering();
    memory.note(nothingKnown, manyRows('a', 5_000), 100, false);
    const known = memory.recall();
    memory.note(known, [row('b', idAt(7_000), 2), row('b', idAt(6_000), 3), row('a', idAt(4_000), -1)], 1, false);
    expect(memory.recall()).toEqual({
      beginAt: nothingKnown.beginAt,
      marks: { [markKey('p', 'a')]: [0, idAt(5_000, 999)], [markKey('p', 'b')]: [3, idAt(6_000)] },
    });
  });

  it('is set aside for a thorough look after twenty times what the last one took', () => {
    const { clock, memory } = remembering();
    memory.note(nothingKnown, manyRows('a', 5_000), 100, false);
    clock.ms = 1_999;
    expect(memory.recall()).not.toBe(nothingKnown);
    clock.ms = 2_000;
    expect(memory.recall()).toBe(nothingKnown);
  });

  it('is set aside after five seconds, however long a thorough look takes', () => {
    const { clock, memory } = remembering();
    memory.note(nothingKnown, manyRows('a', 5_000), 60_000, false);
    clock.ms = 5_000;
    expect(memory.recall()).toBe(nothingKnown);
  });

  it('passes over what is older than the newest run taken, once the queue was seen empty', () => {
    const { clock, memory } = remembering();
    memory.note(nothingKnown, manyRows('a', 50_000), 10, false);
    clock.ms = 300;
    memory.note(nothingKnown, [], 500, true);
    expect(memory.recall()).toEqual({ beginAt: `${idAt(49_000).slice(0, 13)}-0000-0000-000000000000`, marks: {} });
  });
});
