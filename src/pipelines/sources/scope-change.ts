// Objects that no longer belong to a source, because its scope was narrowed or the source itself is removed: what they brought stays, or is
// deactivated, as the admin says.
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { withTenant } from '../../platform/database.ts';
import { houseOf, intakeNamed, type SourcesDeps } from './sources-deps.ts';
import { endObjects, type ObjectRow, pageObjects } from './sql/objects.ts';
import type { SourceRow } from './sql/sources.ts';

export type WhatBecomes = 'keep' | 'deactivate';

const PAGE = 500;

export async function countLeaving(
  deps: SourcesDeps,
  source: SourceRow,
  stays: (key: string) => boolean,
): Promise<number> {
  let count = 0;
  for await (const page of liveObjects(deps, source)) count += page.filter(({ key }) => !stays(key)).length;
  return count;
}

export async function endLeaving(
  deps: SourcesDeps,
  source: SourceRow,
  stays: (key: string) => boolean,
  what: WhatBecomes,
): Promise<number> {
  const { pool } = houseOf(deps);
  const { tenant_id: tenantId, source_id: sourceId } = source;
  const intake = intakeNamed(deps, source.pipeline);
  let count = 0;
  for await (const page of liveObjects(deps, source)) {
    const leaving = page.filter(({ key }) => !stays(key));
    if (leaving.length === 0) continue;
    if (what === 'deactivate')
      for (const { source_uri: uri } of leaving) await intake.withdraw?.({ tenantId, uri, sourceId });
    const keys = leaving.map(({ key }) => key);
    await withTenant(pool, { tenantId, role: 'millrace_app' }, (tx) =>
      endObjects(tx, tenantId, sourceId, keys, what === 'keep' ? 'kept' : 'deleted'),
    );
    count += leaving.length;
  }
  return count;
}

async function* liveObjects(deps: SourcesDeps, source: SourceRow): AsyncGenerator<readonly ObjectRow[]> {
  const { pool } = houseOf(deps);
  const { tenant_id: tenantId, source_id: sourceId } = source;
  let after: string | null = null;
  for (;;) {
    const from: string | null = after;
    const page: ObjectRow[] = await withTenant(pool, { tenantId, role: 'millrace_app' }, (tx) =>
      pageObjects(tx, tenantId, sourceId, { after: from, status: 'live', limit: PAGE }),
    );
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (last.key === after) throw new MillraceError('source_listing_unusable', { reason: 'it does not go on' });
    after = last.key;
  }
}
