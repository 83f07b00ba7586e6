// Deletes bytes that nobody needs: blobs that no run ever used, blobs whose retention is over, stored bytes without a row, and temporary files of
// killed uploads. Every process may run it at once, and it may be killed at any point: it marks rows first and deletes bytes second.
import { isBlobKey } from '../../platform/blob/blob-key.ts';
import type { BlobInfo, BlobStore } from '../../platform/blob/blob-store.ts';
import type { Queryable } from '../../platform/database.ts';
import { failpoint } from '../../platform/failpoints.ts';
import { forgetBlobs } from './sql/forget-blobs.ts';
import { type Marked, markExpiredBlobs, markUnusedBlobs } from './sql/mark-blobs-deleted.ts';
import { selectLiveKeys } from './sql/select-live-keys.ts';

const batchSize = 500;

export interface SweepSettings {
  /** UPLOAD_CLEANUP_TTL_HOURS: how old bytes must be before they count as orphans. */
  readonly orphanTtlHours: number;
  /** How long a put may be silent before its leftovers are taken; a live one touches them every 15 s. */
  readonly unfinishedMs: number;
  /** How long the row of removed bytes is remembered, unless a run of the ledger still names it. */
  readonly forgetAfterDays: number;
  /** Whether to list the whole store for bytes without a row, which reads the name of every file there is. */
  readonly looksThroughStore: boolean;
}

export const defaultSweep: SweepSettings = {
  orphanTtlHours: 24,
  unfinishedMs: 60_000,
  forgetAfterDays: 30,
  looksThroughStore: true,
};

export interface SweepResult {
  readonly unused: number;
  readonly expired: number;
  readonly orphans: number;
  readonly unfinished: number;
}

export async function sweepBlobs(
  db: Queryable,
  store: BlobStore,
  settings: SweepSettings = defaultSweep,
  signal?: AbortSignal,
): Promise<SweepResult> {
  const unfinished = await store.removeUnfinished(settings.unfinishedMs);
  const unused = await removeMarked(store, () => markUnusedBlobs(db, settings.orphanTtlHours, batchSize), signal);
  const expired = await removeMarked(store, () => markExpiredBlobs(db, batchSize), signal);
  const orphans = settings.looksThroughStore ? await removeOrphans(db, store, settings.orphanTtlHours, signal) : 0;
  await forgetBlobs(db, settings.forgetAfterDays, batchSize);
  return { unused, expired, orphans, unfinished };
}

async function removeMarked(
  store: BlobStore,
  mark: () => Promise<Marked>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let removed = 0;
  while (signal?.aborted !== true) {
    const { looked, rows } = await mark();
    if (rows.length > 0) failpoint('sweep.after_mark');
    for (const { store_key } of rows) {
      if (isBlobKey(store_key)) await store.delete(store_key);
    }
    removed += rows.length;
    if (looked < batchSize) break;
  }
  return removed;
}

/** Stored bytes whose row was never written (killed in between) or is marked (killed while sweeping). */
async function removeOrphans(
  db: Queryable,
  store: BlobStore,
  ttlHours: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let removed = 0;
  const removeBatch = async (batch: BlobInfo[]) => {
    const live = await selectLiveKeys(
      db,
      batch.map(({ key }) => key),
    );
    for (const { key } of batch) {
      if (live.has(key)) continue;
      await store.delete(key);
      removed += 1;
    }
  };
  let batch: BlobInfo[] = [];
  for await (const info of store.listStoredBefore(new Date(Date.now() - ttlHours * 3_600_000))) {
    if (signal?.aborted === true) return removed;
    batch.push(info);
    if (batch.length < batchSize) continue;
    await removeBatch(batch);
    batch = [];
  }
  if (batch.length > 0) await removeBatch(batch);
  return removed;
}
