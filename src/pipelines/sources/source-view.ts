// Sources as people see them: freshness in words, counts by fate, the newest syncs.

import type { z } from 'zod';
import type { AnswerOf } from '../../contract/api/client.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import type { SyncCounts } from '../../contract/pipelines/sources/api.ts';
import { readDueTimes } from '../../engine/reads/read-due-times.ts';
import { readHolders, readRuns } from '../../engine/reads/read-runs.ts';
import type { RunRow } from '../../engine/reads/run-columns.ts';
import type { Queryable } from '../../platform/database.ts';
import { scheduleName } from './set-up.ts';
import { countByStatus } from './sql/objects.ts';
import { findSource, type SourceRow } from './sql/sources.ts';
import { listNewestSyncs } from './sql/syncs.ts';
import { SYNCS_KEPT } from './sync-state.ts';

export type SourceAnswer = AnswerOf<'sources.show'>;

const PIPELINE = 'sources';

export async function requireSource(db: Queryable, tenantId: string, sourceId: string): Promise<SourceRow> {
  const source = await findSource(db, tenantId, sourceId);
  if (source === undefined) throw new MillraceError('source_not_found', { source: sourceId });
  return source;
}

export async function viewSources(
  db: Queryable,
  tenantId: string,
  rows: readonly SourceRow[],
): Promise<SourceAnswer[]> {
  const ids = rows.map(({ source_id: id }) => id);
  const counts = await countByStatus(db, tenantId, ids);
  const due = await readDueTimes(db, tenantId, ids.map(scheduleName));
  const syncs = await syncsOf(db, tenantId, ids);
  return rows.map((row) => {
    const { source_id: id } = row;
    return viewOf(row, counts.get(id) ?? {}, due.get(scheduleName(id)) ?? null, syncs.get(id) ?? []);
  });
}

/** A sync with what it has counted so far. */
type SyncRow = RunRow & { readonly soFar: Readonly<Record<string, number>> | null };

/** Newest first; one that waits for its worker is not written down yet and is found by its key. */
async function syncsOf(db: Queryable, tenantId: string, sourceIds: readonly string[]): Promise<Map<string, SyncRow[]>> {
  const begun = await listNewestSyncs(db, tenantId, sourceIds, SYNCS_KEPT);
  const live = await readHolders(db, tenantId, PIPELINE, sourceIds);
  const ids = new Set([...begun.map(({ sync_id: id }) => id), ...live.map(({ id }) => id)]);
  const counts = new Map(begun.map((sync) => [sync.sync_id, sync.counts]));
  const found = new Map<string, SyncRow[]>();
  for (const run of await readRuns(db, tenantId, [...ids])) {
    const sourceId = String(run.input.source_id);
    found.set(sourceId, [...(found.get(sourceId) ?? []), { ...run, soFar: counts.get(run.id) ?? null }]);
  }
  for (const runs of found.values()) runs.sort((a, b) => (a.id < b.id ? 1 : -1)).splice(SYNCS_KEPT);
  return found;
}

function viewOf(
  row: SourceRow,
  counts: Partial<Record<keyof SourceAnswer['objects'], number>>,
  nextAt: Date | null,
  syncs: readonly SyncRow[],
): SourceAnswer {
  const { live = 0, refused = 0, failed = 0, deleted = 0, kept = 0, settling = 0 } = counts;
  return {
    source_id: row.source_id,
    name: row.name,
    kind: row.kind,
    place: row.place,
    address: addressOf(row),
    pipeline: row.pipeline,
    fields: row.fields,
    title_pattern: row.title_pattern,
    prefix: row.prefix,
    include: row.include,
    exclude: row.exclude,
    max_bytes: row.max_bytes === null ? null : Number(row.max_bytes),
    after_taken: row.after_taken,
    settle_seconds: row.settle_seconds,
    cron: row.cron,
    time_zone: row.time_zone,
    jitter_seconds: row.jitter_seconds,
    stale_after_seconds: row.stale_after_seconds,
    credential: row.credential_kind,
    queue_url: row.queue_url,
    paused: row.paused_at !== null,
    freshness: freshnessOf(row, syncs),
    objects: { live, refused, failed, deleted, kept, settling },
    listed_at: row.listed_at?.toISOString() ?? null,
    next_sync_at: row.paused_at === null ? (nextAt?.toISOString() ?? null) : null,
    last_error_code: row.last_error_code,
    queue_failing_since: row.queue_failing_since?.toISOString() ?? null,
    queue_error_code: row.queue_error_code,
    syncs: syncs.map(syncOf),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function freshnessOf(row: SourceRow, [newest]: readonly RunRow[]): SourceAnswer['freshness'] {
  if (row.paused_at !== null) return 'paused';
  if (newest?.phase === 'active') return 'syncing';
  if (newest?.phase === 'waiting') return newest.held_at === null ? 'syncing' : 'waiting for an answer';
  if (newest?.phase === 'failed' && newest.error_code !== null) return 'failing';
  if (row.last_error_code === 'source_directory_shut') return 'incomplete';
  if (row.listed_at === null) return 'never synced';
  const ageMs = row.now.getTime() - row.listed_at.getTime();
  return ageMs > row.stale_after_seconds * 1_000 ? 'stale' : 'fresh';
}

function syncOf(run: SyncRow): SourceAnswer['syncs'][number] {
  return {
    sync_id: run.id,
    status: run.status,
    held: run.held_at !== null,
    trigger: String(run.input.trigger ?? ''),
    created_at: run.created_at.toISOString(),
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
    counts: countsOf(run),
    error_code: run.error_code,
  };
}

/** From the receipt; until there is one, as far as the sync is. */
function countsOf({ receipt, soFar }: SyncRow): z.output<typeof SyncCounts> | null {
  if (receipt === null && soFar === null) return null;
  const of = (name: string) =>
    Number(receipt === null ? soFar?.[name] : (receipt.outcomes?.[name] ?? receipt[name])) || 0;
  return {
    seen: receipt === null ? of('seen') : receipt.read,
    new: of('new'),
    changed: of('changed'),
    unchanged: of('unchanged'),
    refused: of('refused'),
    vanished: of('vanished'),
    settling: of('settling'),
    outside: of('outside'),
    unlisted: of('unlisted'),
  };
}

export function addressOf({ kind, place, prefix }: Pick<SourceRow, 'kind' | 'place' | 'prefix'>): string {
  const text = (name: string) => String(place[name] ?? '');
  if (kind === 's3') return `s3://${text('bucket')}/${prefix}`;
  if (kind === 'folder') return `${text('directory').replace(/\/*$/, '/')}${prefix}`;
  const directory = text('directory')
    .replace(/^[./]+/, '')
    .replace(/\/*$/, '/');
  const port = text('port') === DEFAULT_PORTS[kind] ? '' : `:${text('port')}`;
  return `${kind}://${text('host')}${port}/${directory === '/' ? '' : directory}${prefix}`;
}

/** Another port is another server: it is said. */
const DEFAULT_PORTS = { sftp: '22', ftp: '21' };
