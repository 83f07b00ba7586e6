// Objects that no longer belong to a source, because its prefix, patterns, place or pipeline were changed or the source is removed. What they
// brought is kept or deactivated, as the admin says; unless the admin says so, nothing that was taken in is touched.
import { withTenant } from '../../platform/database.ts';
import { openPlace } from './open-place.ts';
import { belongsTo } from './scope.ts';
import type { Wish } from './set-up.ts';
import { houseOf, intakeNamed, type SourcesDeps } from './sources-deps.ts';
import { endObjects, type ObjectRow, type ObjectStatus, pageObjects } from './sql/objects.ts';
import type { SourceRow } from './sql/sources.ts';

export type WhatBecomes = 'keep' | 'deactivate';
export type Stays = (object: Pick<ObjectRow, 'key' | 'source_uri'>) => boolean;

const PAGE = 500;
/** Of objects that have not ended. What is refused now may have brought something before it was changed. */
const present: readonly ObjectStatus[] = ['live', 'refused', 'failed', 'settling'];

/** Settings that say which objects belong to a source. */
export function changesScope(patch: object): boolean {
  return ['prefix', 'include', 'exclude', 'place', 'pipeline'].some((name) => name in patch);
}

/** An object of another bucket, server or directory is another object, whatever its key; another pipeline takes everything again. */
export async function staysIn(deps: SourcesDeps, before: SourceRow, wish: Wish): Promise<Stays> {
  if (wish.pipeline !== before.pipeline) return () => false;
  const belongs = belongsTo(wish);
  const facts = { sourceId: before.source_id, place: wish.place, moves: false };
  const place = await openPlace(deps, facts, wish.credential);
  await place.close();
  return ({ key, source_uri: uri }) => belongs(key) && place.uriOf(key) === uri;
}

/** Only what brought something: nobody needs to decide about the rest. */
export async function countLeaving(deps: SourcesDeps, source: SourceRow, stays: Stays): Promise<number> {
  let count = 0;
  for await (const page of presentObjects(deps, source))
    count += page.filter((object) => !stays(object) && object.run_id !== null).length;
  return count;
}

export async function endLeaving(
  deps: SourcesDeps,
  source: SourceRow,
  stays: Stays,
  what: WhatBecomes,
): Promise<number> {
  const { pool } = houseOf(deps);
  const { tenant_id: tenantId, source_id: sourceId } = source;
  const intake = intakeNamed(deps, source.pipeline);
  let count = 0;
  for await (const page of presentObjects(deps, source)) {
    const leaving = page.filter((object) => !stays(object));
    if (leaving.length === 0) continue;
    const brought = leaving.filter(({ run_id: runId }) => runId !== null);
    if (what === 'deactivate')
      for (const { source_uri: uri } of brought) await intake.withdraw?.({ tenantId, uri, sourceId });
    const keysOf = (rows: readonly ObjectRow[]) => rows.map(({ key }) => key);
    const others = leaving.filter((object) => !brought.includes(object));
    await withTenant(pool, { tenantId, role: 'millrace_app' }, async (tx) => {
      await endObjects(tx, tenantId, sourceId, keysOf(brought), what === 'keep' ? 'kept' : 'deleted');
      await endObjects(tx, tenantId, sourceId, keysOf(others), 'deleted');
    });
    count += brought.length;
  }
  return count;
}

async function* presentObjects(deps: SourcesDeps, source: SourceRow): AsyncGenerator<readonly ObjectRow[]> {
  const { pool } = houseOf(deps);
  const { tenant_id: tenantId, source_id: sourceId } = source;
  for (const status of present) {
    let after: string | null = null;
    for (;;) {
      const from: string | null = after;
      const page: ObjectRow[] = await withTenant(pool, { tenantId, role: 'millrace_app' }, (tx) =>
        pageObjects(tx, tenantId, sourceId, { after: from, status, limit: PAGE }),
      );
      const last = page.at(-1);
      if (last === undefined) break;
      yield page;
      after = last.key;
    }
  }
}
