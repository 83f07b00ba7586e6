// An ads pipeline on a test database: a blob store in a temporary folder, uploads from text, and the state of the tables to compare.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recordBlob } from '../../src/engine/blobs/blobs.ts';
import { storeFile } from '../../src/engine/blobs/store-file.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { RunRow } from '../../src/engine/reads/run-columns.ts';
import { adsPipeline } from '../../src/pipelines/ads/ads.pipeline.ts';
import type { AdsInput } from '../../src/pipelines/ads/input.ts';
import type { AdsDeps } from '../../src/pipelines/ads/parse.ts';
import { DiskBlobStore } from '../../src/platform/blob/disk-blob-store.ts';
import type { Queryable } from '../../src/platform/database.ts';
import { buildEngine, type EngineOptionsForTest, endOfRun } from './engine.ts';

export interface AdsBench {
  readonly engine: Engine;
  readonly store: DiskBlobStore;
  /** Stores the bytes and enqueues the run. */
  submit(tenantId: string, bytes: string | Uint8Array, input?: Partial<AdsInput>): Promise<string>;
  /** The same, and waits for its end. */
  ingest(tenantId: string, bytes: string | Uint8Array, input?: Partial<AdsInput>): Promise<RunRow>;
  ended(tenantId: string, runId: string): Promise<RunRow>;
  close(): Promise<void>;
}

export async function openAdsBench(
  url: string,
  options: EngineOptionsForTest & { readonly deps?: Partial<AdsDeps>; readonly folder?: string } = {},
): Promise<AdsBench> {
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), 'millrace-ads-'));
  const store = new DiskBlobStore({ root: folder });
  const engine = await buildEngine(url, [adsPipeline({ store, ...options.deps })], options);
  const bench: AdsBench = {
    engine,
    store,
    async submit(tenantId, bytes, input = {}) {
      const fileName = input.filename ?? 'export.csv';
      const file = await storeFile(store, {
        tenantId,
        fileName,
        body: one(typeof bytes === 'string' ? Buffer.from(bytes) : bytes),
        maxBytes: 1024 ** 3,
        sniff: () => ({ format: 'csv', mediaType: 'text/csv' }),
      });
      await recordBlob(engine.pools.control, file);
      const { id } = await engine.enqueue({
        pipeline: 'ads',
        tenantId,
        blobId: file.blobId,
        input: {
          platform: 'meta',
          source: 'manual',
          filename: fileName,
          reported_at: new Date().toISOString(),
          ...input,
        },
      });
      return id;
    },
    async ingest(tenantId, bytes, input) {
      return bench.ended(tenantId, await bench.submit(tenantId, bytes, input));
    },
    ended: (tenantId, runId) => endOfRun(engine, tenantId, runId),
    async close() {
      await engine.close();
      await store.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Everything a tenant sees of its numbers, without ids and times that differ from run to run. */
export async function numbersOf(admin: Queryable, tenantId: string): Promise<Record<string, unknown[]>> {
  const read = async (sql: string) => (await admin.query(sql, [tenantId])).rows;
  return {
    campaigns: await read(
      `select client_id, platform, external_id, name, inferred, id_derived, line from campaigns where workspace_id = $1 order by 2, 3, 1`,
    ),
    ad_sets: await read(
      `select client_id, platform, external_id, name, inferred, campaign_external_id, line from ad_sets where workspace_id = $1 order by 2, 3, 1`,
    ),
    ads: await read(
      `select client_id, platform, external_id, name, inferred, campaign_external_id, ad_set_external_id, line from ads where workspace_id = $1 order by 2, 3, 1`,
    ),
    daily_metrics: await read(
      `select client_id, platform, metric_date, campaign_external_id, ad_set_external_id, ad_external_id, currency, spend, impressions, clicks,
              link_clicks, reach, conversions, conversion_value, video_views, line, byte_offset,
              campaign_id is not null as has_campaign, ad_set_id is not null as has_ad_set, ad_id is not null as has_ad
       from daily_metrics where workspace_id = $1 order by 2, 3, 4, 5, 6, 1`,
    ),
    history: await read(
      `select metric_date, spend, impressions, clicks, line from daily_metrics_history where workspace_id = $1 order by metric_date, line, spend`,
    ),
    rejects: await read(
      `select line, byte_offset, column_name, code, message, value, cause, errors, item, status from engine.rejects where tenant_id = $1 order by line, code`,
    ),
  };
}
