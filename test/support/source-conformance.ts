// What every source must do, said once and run against each of them. A harness drops things into the place a source watches and opens
// as many "processes" (instances) on it as a test wants.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MillraceError } from '../../src/contract/errors/millrace-error.ts';
import type { Source, SourceItem } from '../../src/sources/source.ts';

export interface SourceHarness {
  /** A new instance on the same place, as another process would have. */
  open(): Source;
  drop(name: string, content: string, modifiedAt?: Date): Promise<void>;
  /** Lets enough time pass that dropped things count as whole. */
  settle(source: Source): Promise<void>;
  /** Lets enough time pass that holders which did not stir count as dead. */
  outliveHolders(): Promise<void>;
  accepted(): Promise<Record<string, string>>;
  refused(): Promise<{ name: string; reason: string }[]>;
  close(): Promise<void>;
}

const never = new AbortController().signal;

export async function discoverAll(source: Source, each: (item: SourceItem) => Promise<void>): Promise<string[]> {
  const names: string[] = [];
  for await (const item of source.discover(never)) {
    names.push(item.name);
    await each(item);
  }
  return names;
}

export async function contentOf(item: SourceItem): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of item.read(never)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function describeSource(title: string, start: () => Promise<SourceHarness>): void {
  describe(`${title} keeps the promises of a source`, () => {
    let place: SourceHarness;
    beforeEach(async () => {
      place = await start();
    });
    afterEach(() => place.close());

    const found = async (source: Source, each: (item: SourceItem) => Promise<void>) => {
      await place.settle(source);
      return discoverAll(source, each);
    };
    const accept = (item: SourceItem) => item.accepted('run-1');

    it('finds what was dropped, with its name, size, time and bytes', async () => {
      const at = new Date('2024-03-01T10:00:00Z');
      await place.drop('Übersicht März.csv', 'a,b\n1,2\n', at);
      await found(place.open(), async (item) => {
        expect(item).toMatchObject({ name: 'Übersicht März.csv', bytes: 8, modifiedAt: at });
        expect(await contentOf(item)).toBe('a,b\n1,2\n');
        expect(await item.isUnchanged()).toBe(true);
        await accept(item);
      });
      expect(await place.accepted()).toEqual({ 'Übersicht März.csv': 'a,b\n1,2\n' });
    });

    it('does not take what may still be growing', async () => {
      const source = place.open();
      await place.drop('x.csv', 'a');
      expect(await discoverAll(source, accept)).toEqual([]);
      await place.drop('x.csv', 'a,b');
      expect(await discoverAll(source, accept)).toEqual([]);
      expect(await found(source, accept)).toEqual(['x.csv']);
    });

    it('finds oldest first', async () => {
      await place.drop('new.csv', '1', new Date('2024-01-03'));
      await place.drop('old.csv', '2', new Date('2024-01-01'));
      await place.drop('mid.csv', '3', new Date('2024-01-02'));
      expect(await found(place.open(), accept)).toEqual(['old.csv', 'mid.csv', 'new.csv']);
    });

    it('never finds again what was accepted or refused, also after a restart', async () => {
      await place.drop('good.csv', '1', new Date('2024-01-01'));
      await place.drop('bad.csv', '2', new Date('2024-01-02'));
      await found(place.open(), async (item) => {
        if (item.name === 'good.csv') await accept(item);
        else await item.refused(new MillraceError('file_empty', { name: item.name }));
      });
      await place.outliveHolders();
      expect(await found(place.open(), accept)).toEqual([]);
    });

    it('puts what was refused aside, with the reason and the next step beside it', async () => {
      await place.drop('bad.csv', 'x');
      await found(place.open(), (item) => item.refused(new MillraceError('file_empty', { name: item.name })));
      const [refused] = await place.refused();
      expect(refused?.name).toBe('bad.csv');
      expect(refused?.reason).toContain('The file "bad.csv" has no content.');
      expect(refused?.reason).toContain('file_empty');
      expect(refused?.reason).toContain('send it again');
    });

    it('finds again what was released, as the same item', async () => {
      await place.drop('x.csv', 'a,b');
      const identities: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        await found(place.open(), async (item) => {
          identities.push(item.identity);
          await item.release();
        });
      }
      expect(identities).toHaveLength(3);
      expect(new Set(identities).size).toBe(1);
    });

    it('finds again what a dead process held, as the same item, with all its bytes', async () => {
      await place.drop('x.csv', 'a,b');
      let identity = '';
      await found(place.open(), async (item) => {
        identity = item.identity;
        await contentOf(item);
      });
      await place.outliveHolders();
      const names = await found(place.open(), async (item) => {
        expect(item.identity).toBe(identity);
        expect(await contentOf(item)).toBe('a,b');
        await accept(item);
      });
      expect(names).toEqual(['x.csv']);
    });

    it('calls things that differ in name, size or time different items', async () => {
      const at = new Date('2024-01-01');
      const seen = new Set<string>();
      for (const [name, content, time] of [
        ['x.csv', 'abc', at],
        ['y.csv', 'abc', at],
        ['x.csv', 'abcd', at],
        ['x.csv', 'abc', new Date('2024-01-02')],
      ] as const) {
        await place.drop(name, content, time);
        await found(place.open(), async (item) => {
          seen.add(item.identity);
          await accept(item);
        });
      }
      expect(seen.size).toBe(4);
    });

    it('hands each thing to one of four processes that look at once', async () => {
      for (let index = 0; index < 20; index += 1) await place.drop(`f${index}.csv`, `content ${index}`);
      const processes = Array.from({ length: 4 }, () => place.open());
      for (const source of processes) await place.settle(source);
      const found = await Promise.all(processes.map((source) => discoverAll(source, accept)));
      expect(found.flat().toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => `f${index}.csv`).toSorted());
      expect(Object.keys(await place.accepted())).toHaveLength(20);
    });

    it('keeps both when a second thing comes under a name that was accepted before', async () => {
      for (const content of ['first', 'second', 'third']) {
        await place.drop('x.csv', content);
        await found(place.open(), accept);
      }
      const kept = await place.accepted();
      expect(Object.values(kept).toSorted()).toEqual(['first', 'second', 'third']);
      expect(Object.keys(kept).every((name) => name.endsWith('.csv'))).toBe(true);
    });

    it('does not mind being told twice, or after another process has put the thing away', async () => {
      await place.drop('x.csv', 'a,b');
      const held: SourceItem[] = [];
      await found(place.open(), async (item) => {
        held.push(item);
      });
      await place.outliveHolders();
      await found(place.open(), accept);
      for (const item of held) await item.accepted('run-1');
      expect(Object.keys(await place.accepted())).toEqual(['x.csv']);
    });

    it('stops when it is told to', async () => {
      for (let index = 0; index < 5; index += 1) await place.drop(`f${index}.csv`, 'x');
      const source = place.open();
      await place.settle(source);
      const stop = new AbortController();
      let count = 0;
      for await (const item of source.discover(stop.signal)) {
        count += 1;
        await accept(item);
        stop.abort();
      }
      expect(count).toBe(1);
    });
  });
}
