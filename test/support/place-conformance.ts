// What every place must do, said once and run against each kind on a real server of its protocol.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareKeys, type Place, type PlacedObject } from '../../src/sources/place.ts';

export interface PlaceHarness {
  /** Moves what was taken to "taken". */
  open(): Place;
  put(key: string, content: string | Buffer): Promise<void>;
  remove(key: string): Promise<void>;
  /** Makes one object unreadable, where the kind can. */
  deny?(key: string): Promise<void>;
  /** Breaks the connection once in the middle of the next download, where the kind can. */
  breakOnce?(): void;
  close(): Promise<void>;
}

const never = new AbortController().signal;

export async function listAll(place: Place, from: { prefix?: string; after?: string } = {}): Promise<PlacedObject[]> {
  const found: PlacedObject[] = [];
  for await (const page of place.list({ prefix: from.prefix ?? '', after: from.after ?? null }, never))
    found.push(...page);
  return found;
}

export async function contentOf(place: Place, object: PlacedObject): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of place.read(object, never)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function describePlace(title: string, start: () => Promise<PlaceHarness>): void {
  describe(`${title} keeps the promises of a place`, () => {
    let harness: PlaceHarness;
    let place: Place;
    beforeEach(async () => {
      harness = await start();
      place = harness.open();
    });
    afterEach(async () => {
      await place.close();
      await harness.close();
    });

    const one = async (key: string) => {
      const object = (await listAll(place)).find((each) => each.key === key);
      if (object === undefined) throw new Error(`${key} is not listed`);
      return object;
    };

    it('lists everything in the order of its bytes, also in directories, whose names sort before and after files', async () => {
      const keys = ['a/1.csv', 'a/b/2.csv', 'a-b.csv', 'a.csv', 'b.csv', 'ä/ü.csv', 'z z.csv'];
      for (const key of keys) await harness.put(key, key);
      const found = (await listAll(place)).map(({ key }) => key);
      expect(found).toEqual(keys.toSorted(compareKeys));
    });

    it('goes on behind any key, whether it is still there or not', async () => {
      for (const key of ['a/1.csv', 'a/2.csv', 'a/3.csv', 'b.csv']) await harness.put(key, key);
      expect((await listAll(place, { after: 'a/1.csv' })).map(({ key }) => key)).toEqual([
        'a/2.csv',
        'a/3.csv',
        'b.csv',
      ]);
      expect((await listAll(place, { after: 'a/2.zzz' })).map(({ key }) => key)).toEqual(['a/3.csv', 'b.csv']);
      expect((await listAll(place, { after: 'b.csv' })).map(({ key }) => key)).toEqual([]);
    });

    it('lists only what begins with the prefix', async () => {
      for (const key of ['in/1.csv', 'in/2.csv', 'inside.csv', 'out/1.csv']) await harness.put(key, key);
      expect((await listAll(place, { prefix: 'in/' })).map(({ key }) => key)).toEqual(['in/1.csv', 'in/2.csv']);
      expect((await listAll(place, { prefix: 'in' })).map(({ key }) => key)).toEqual([
        'in/1.csv',
        'in/2.csv',
        'inside.csv',
      ]);
    });

    it('gives exactly the bytes, and knows their number beforehand', async () => {
      const content = Buffer.from(Array.from({ length: 1_500_000 }, (_, index) => (index * 7) % 251));
      await harness.put('big.bin', content);
      const object = await one('big.bin');
      expect(object.bytes).toBe(content.byteLength);
      expect((await contentOf(place, object)).equals(content)).toBe(true);
    });

    it('keeps the mark of what stays, and gives another to what was changed', async () => {
      await harness.put('x.csv', 'before');
      const before = await one('x.csv');
      expect((await one('x.csv')).mark).toBe(before.mark);
      await harness.put('x.csv', 'after it');
      const after = await one('x.csv');
      expect(after.mark).not.toBe(before.mark);
      expect((await place.look('x.csv', never))?.mark).toBe(after.mark);
      await harness.remove('x.csv');
      expect(await place.look('x.csv', never)).toBeUndefined();
    });

    it('gives another mark to another content of the same length', async () => {
      await harness.put('x.csv', 'before');
      const before = await one('x.csv');
      await harness.put('x.csv', 'later!');
      const after = await one('x.csv');
      expect([after.bytes, after.mark === before.mark]).toEqual([before.bytes, false]);
    });

    it('does not give other bytes than those that were listed', async () => {
      await harness.put('x.csv', 'before');
      const object = await one('x.csv');
      await harness.put('x.csv', 'something longer');
      const read = async () => {
        const content = await contentOf(place, object);
        // Where reading cannot tell, looking again must.
        if (!place.readsExactly && (await place.look('x.csv', never))?.mark !== object.mark) throw new Error('changed');
        return content;
      };
      await expect(read()).rejects.toThrow(/changed/);
    });

    it('says that an object is gone', async () => {
      await harness.put('x.csv', 'x');
      const object = await one('x.csv');
      await harness.remove('x.csv');
      await expect(contentOf(place, object)).rejects.toMatchObject({ code: 'source_object_gone' });
    });

    it('says of one object that it may not be read, and reads the others', async ({ skip }) => {
      if (harness.deny === undefined) return skip();
      await harness.put('open.csv', 'open');
      await harness.put('shut.csv', 'shut');
      await harness.deny('shut.csv');
      await expect(contentOf(place, await one('shut.csv'))).rejects.toMatchObject({ code: 'source_object_denied' });
      expect(String(await contentOf(place, await one('open.csv')))).toBe('open');
    });

    it('takes a download that broke off up where it ended', async ({ skip }) => {
      if (harness.breakOnce === undefined) return skip();
      const content = Buffer.alloc(2_000_000, 'mill');
      await harness.put('big.bin', content);
      const object = await one('big.bin');
      harness.breakOnce();
      expect((await contentOf(place, object)).equals(content)).toBe(true);
    });

    it('moves what was taken out of the listing, once', async () => {
      await harness.put('in/x.csv', 'x');
      const object = await one('in/x.csv');
      await place.putAway(object, 'move', never);
      // Neither where it was nor where it went: it would be taken again and again.
      expect(await listAll(place)).toEqual([]);
      expect(await place.directories('', 10, never)).not.toContain('taken/');
    });
  });
}
