import { describe, expect, it } from 'vitest';
import { bytesSource } from '../../tabular/byte-source.ts';
import { openTable } from '../../tabular/read-table.ts';
import { KeyHasher } from './natural-key.ts';
import { freshState, type ParseState } from './parse-counts.ts';
import { decideMapping, decideReading } from './reading.ts';
import { RowStager } from './row-stager.ts';

const row = (day: number) => `2024-01-${String(day).padStart(2, '0')},Spring,1001,1.5,100,5\n`;
const header = 'Day,Campaign name,Campaign ID,Amount spent (USD),Impressions,Clicks (all)\n';

async function open(text: string) {
  // Small pieces, so that a small file has several batches.
  const source = bytesSource(Buffer.from(text), 64);
  const reading = await decideReading(source, 'meta');
  const mapping = decideMapping(reading, 'meta', null);
  const keys = new KeyHasher({ workspaceId: 'w', clientId: null, platform: 'meta' });
  return {
    table: openTable(source, reading, { batchBytes: 64 }),
    stagerFrom: (state: ParseState) => new RowStager(reading, mapping, keys, state, source.size),
  };
}

/** Stages batch after batch from a state on; the checkpoints a worker would have committed, and the last stager. */
async function stage(text: string, from: ParseState) {
  const { table, stagerFrom } = await open(text);
  const stager = stagerFrom(from);
  const states: ParseState[] = [];
  for await (const batch of table.batches(from.position)) {
    stager.add(batch);
    states.push(stager.take('rows').state);
  }
  return { stager, states };
}

const distinct = header + Array.from({ length: 20 }, (_, i) => row(i + 1)).join('');

describe('staging rows', () => {
  it('knows that no key came twice only when it has seen all of them', async () => {
    const { stager, states } = await stage(distinct, freshState);
    expect([stager.read, stager.mayRepeatKeys, states.length > 3]).toEqual([20, false, true]);
    const repeated = await stage(distinct + row(3), freshState);
    expect(repeated.stager.mayRepeatKeys).toBe(true);
  });

  it('that goes on after a crash counts as if there had been none, and has the database look for keys it did not see', async () => {
    const { states } = await stage(distinct, freshState);
    // As the checkpoint comes back from the database.
    const stored = states.slice(0, -1).map((state) => JSON.parse(JSON.stringify(state)) as ParseState);
    for (const state of stored) {
      const resumed = await stage(distinct, state);
      expect(resumed.states.at(-1)).toEqual(states.at(-1));
      expect(resumed.stager.mayRepeatKeys).toBe(true);
    }
  });
});
