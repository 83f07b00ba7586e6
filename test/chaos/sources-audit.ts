// What must hold after any number of kills: each version that was put and observed has exactly one run, the receipts of the syncs add up to
// what happened, and what is known of each object is what lies in the bucket.
import { createHash } from 'node:crypto';
import type { Counts } from './auditor.ts';
import { openFindings } from './findings.ts';
import type { Ground } from './ground.ts';

export interface Happened {
  readonly tenantId: string;
  readonly sourceId: string;
  /** Every version that was put, in order; each was followed by a sync that saw it. */
  readonly versions: readonly { readonly key: string; readonly content: string }[];
  readonly vanished: number;
  readonly there: ReadonlyMap<string, string>;
  readonly gone: ReadonlySet<string>;
  /** Objects of the bucket that do not say that they were taken in. */
  readonly untagged: readonly string[];
}

export async function auditSources(
  ground: Pick<Ground, 'ask'>,
  happened: Happened,
): Promise<{ counts: Counts; findings: string[] }> {
  const { sourceId, tenantId } = happened;
  const { counts, findings, find } = openFindings();
  const runs = await ground.ask<{ name: string; sha: string; phase: string; n: number }>(
    `select b.original_name as name, encode(b.sha256, 'hex') as sha, r.phase, count(*)::int as n
     from engine.runs r join engine.blobs b on b.blob_id = r.blob_id
     where r.tenant_id = $1 and r.source_id = $2 and r.pipeline = 'ads'
     group by 1, 2, 3`,
    [tenantId, sourceId],
  );
  const expected = tally(
    happened.versions.map(({ key, content }) => idOf(key.split('/').at(-1) ?? key, hash(content))),
  );
  const actual = new Map<string, number>();
  for (const { name, sha, phase, n } of runs) {
    actual.set(idOf(name, sha), (actual.get(idOf(name, sha)) ?? 0) + n);
    if (phase === 'waiting' || phase === 'active') find('stuck', n, `${n} runs of ${name} have no end`);
  }
  for (const [id, number] of expected) {
    const has = actual.get(id) ?? 0;
    find('lost', Math.max(0, number - has), `${id} was observed ${number} times and has ${has} runs`);
    find('duplicated', Math.max(0, has - number), `${id} was observed ${number} times and has ${has} runs`);
  }
  for (const [id, number] of actual) if (!expected.has(id)) find('wrong', number, `${id} has a run and was never put`);

  const syncs = await ground.ask<{ id: string; phase: string; receipt: Receipt | null }>(
    `select id, phase, receipt from engine.runs where tenant_id = $1 and source_id = $2 and pipeline = 'sources'`,
    [tenantId, sourceId],
  );
  const lines = await ground.ask<{ sync_id: string; fate: string; n: number }>(
    `select sync_id, fate, count(*)::int as n from source_sync_lines where source_id = $1 group by 1, 2`,
    [sourceId],
  );
  // A sync that failed in the end has no receipt; what it took in is in its lines.
  const told = { taken: 0, vanished: 0 };
  for (const { fate, n } of lines) {
    if (fate === 'new' || fate === 'changed') told.taken += n;
    if (fate === 'vanished') told.vanished += n;
  }
  find(
    'wrong',
    Math.abs(told.taken - happened.versions.length),
    `${happened.versions.length} versions were put, ${told.taken} are told as new or changed`,
  );
  find(
    'wrong',
    Math.abs(told.vanished - happened.vanished),
    `${happened.vanished} objects vanished, ${told.vanished} are told`,
  );
  for (const { id, phase, receipt } of syncs) {
    if (phase === 'waiting' || phase === 'active') find('stuck', 1, `sync ${id} has no end`);
    if (receipt === null) continue;
    const { new: added = 0, changed = 0, unchanged = 0, refused = 0 } = receipt.outcomes;
    find(
      'wrong',
      receipt.read === added + changed + unchanged + refused ? 0 : 1,
      `sync ${id} does not add up: ${JSON.stringify(receipt)}`,
    );
    const own = (fate: string) => lines.find((line) => line.sync_id === id && line.fate === fate)?.n ?? 0;
    for (const [fate, n] of Object.entries({ new: added, changed, vanished: receipt.vanished ?? 0 }))
      find('wrong', own(fate) === n ? 0 : 1, `sync ${id} says ${n} ${fate} and has ${own(fate)} lines`);
  }

  const objects = await ground.ask<{ key: string; status: string; sha: string | null }>(
    `select key, status, encode(sha256, 'hex') as sha from source_objects where source_id = $1`,
    [sourceId],
  );
  for (const { key, status, sha } of objects) {
    const content = happened.there.get(key);
    const isRight =
      content === undefined
        ? status === 'deleted' && happened.gone.has(key)
        : status === 'live' && sha === hash(content);
    find('wrong', isRight ? 0 : 1, `${key} is told as ${status}, and that is not what lies there`);
  }
  find(
    'lost',
    happened.there.size + happened.gone.size - objects.length,
    `${objects.length} objects are known of ${happened.there.size + happened.gone.size}`,
  );
  find('lost', happened.untagged.length, `not put away: ${happened.untagged.join(', ')}`);
  return { counts, findings };
}

interface Receipt {
  readonly read: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly vanished?: number;
}

function hash(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

function idOf(name: string, sha: string): string {
  return `${name} ${sha.slice(0, 12)}`;
}

function tally(ids: readonly string[]): Map<string, number> {
  const counted = new Map<string, number>();
  for (const id of ids) counted.set(id, (counted.get(id) ?? 0) + 1);
  return counted;
}
