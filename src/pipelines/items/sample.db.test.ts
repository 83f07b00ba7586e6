// The catalogue that comes with Millrace is there with the first job that wants it.
import { expect, it } from 'vitest';
import { useItems } from '../../../test/support/items.ts';

const bench = useItems();

it('several first jobs of a tenant at once are all taken, and the sample is loaded once', async () => {
  const jobs = await Promise.all(
    Array.from({ length: 6 }, (_, index) => bench.submit(['SKU', `KET-${index}`], { catalog: 'sample' })),
  );
  expect(new Set(jobs).size).toBe(6);
  const { rows } = await bench.db.admin.query('select version from item_catalogs');
  expect(rows).toEqual([{ version: 1 }]);
});
