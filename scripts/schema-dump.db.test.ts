// db/schema.sql shows what the migrations make, on whichever supported server the tests run.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connectClient } from '../src/platform/database.ts';
import { migrate } from '../src/platform/migrate.ts';
import { createEmptyDatabase } from '../test/support/database.ts';
import { comparable, dumpSchema } from './schema-dump.ts';

describe('db/schema.sql', () => {
  it('is up to date (else run "npm run generate")', async () => {
    const { url, close } = await createEmptyDatabase();
    await migrate({ url });
    const client = await connectClient({ url, applicationName: 'test', connectTimeoutMs: 5_000 });
    const dump = await dumpSchema(client);
    await client.end();
    await close();
    const golden = readFileSync(new URL('../db/schema.sql', import.meta.url), 'utf8');
    expect(comparable(dump)).toBe(comparable(golden));
  });

  it('shows types, tables, indexes, policies, triggers, views, functions, grants and roles', async () => {
    const database = await createEmptyDatabase();
    await migrate({ url: database.url });
    const client = await connectClient({ url: database.url, applicationName: 'test', connectTimeoutMs: 5_000 });
    await client.query(`
      create schema shop;
      create type shop.size as enum ('small', 'large');
      create table shop.item (id int generated always as identity primary key, size shop.size default 'small',
        price numeric(10,2) check (price > 0), unique nulls not distinct (size, price));
      create index item_by_price on shop.item (price) where price > 10;
      create function shop.stamp() returns trigger language plpgsql as $$ begin return new; end $$;
      create trigger item_stamp before update on shop.item for each row execute function shop.stamp();
      alter table shop.item enable row level security;
      create policy cheap on shop.item for select to millrace_app using (price < 5);
      grant select (id, size) on shop.item to millrace_app;
      create view shop.small_item with (security_invoker = true) as select id, price from shop.item where size = 'small';
      grant select on shop.small_item to millrace_app;
      comment on table shop.item is 'What is sold.';`);
    const dump = await dumpSchema(client);
    await client.end();
    await database.close();
    for (const expected of [
      `create type shop.size as enum ('small', 'large');`,
      `id integer generated always as identity not null,`,
      `size shop.size default 'small'::shop.size,`,
      'UNIQUE NULLS NOT DISTINCT (size, price)',
      'CREATE INDEX item_by_price ON shop.item',
      'create policy cheap on shop.item for select to millrace_app',
      'alter table shop.item enable row level security;',
      'CREATE TRIGGER item_stamp BEFORE UPDATE ON shop.item',
      'grant select (id, size) on shop.item to millrace_app;',
      'create view shop.small_item with (security_invoker=true)',
      'grant select on shop.small_item to millrace_app;',
      'CREATE OR REPLACE FUNCTION shop.stamp()',
      `comment on table shop.item is 'What is sold.';`,
    ]) {
      expect(dump).toContain(expected);
    }
  });

  it('compares equal when a view is printed with and without the table in front of its columns', () => {
    const newer = 'create view a.b as\n SELECT id,\n    n\n   FROM a.t\n  WHERE (n > 1);\n';
    const older = 'create view a.b as\n SELECT t.id,\n    t.n\n   FROM a.t\n  WHERE (t.n > 1);\n';
    expect(comparable(newer)).toBe(comparable(older));
    expect(comparable(newer)).not.toBe(comparable(newer.replace('> 1', '> 2')));
  });
});
