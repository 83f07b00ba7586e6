// The watched folders of an installation: WATCHED_FOLDERS says which folder feeds which pipeline of which tenant. A file dropped there
// goes through the same rules as one that was uploaded.
import { listTenants } from '../access/operator.ts';
import { MillraceError } from '../contract/errors/millrace-error.ts';
import type { Sniff } from '../engine/blobs/store-file.ts';
import type { Engine } from '../engine/engine.ts';
import { type Platform, platforms } from '../pipelines/ads/fields.ts';
import { inputOf, sniffUpload } from '../pipelines/ads/intake.ts';
import { acceptBatch } from '../pipelines/judgments/accept-batch.ts';
import type { Log } from '../platform/log.ts';
import type { Delivered, Delivery } from '../sources/collect.ts';
import { createCollector } from '../sources/collector.ts';
import { FolderSource } from '../sources/folder/folder-source.ts';
import { sniffTableFile } from '../tabular/content/table-file.ts';
import type { Installation } from './installation.ts';
import type { RoleProcess } from './role-process.ts';

export interface WatchedFolder {
  readonly folder: string;
  readonly pipeline: 'ads' | 'judgments';
  readonly platform: Platform | undefined;
  /** Left out: the installation's only tenant. */
  readonly tenantId: string | undefined;
}

const entryForm =
  /^(?<folder>[^=]+)=(?<pipeline>ads|judgments)(?::(?<platform>[a-z]+))?(?:@(?<tenant>[0-9a-f-]{36}))?$/;
const POLL_MS = 2_000;

/** "FOLDER=PIPELINE[:PLATFORM][@TENANT]", several separated by commas. */
export function parseWatchedFolders(text: string | undefined): WatchedFolder[] {
  const entries = (text ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(parseEntry);
}

function parseEntry(entry: string): WatchedFolder {
  const found = entryForm.exec(entry)?.groups;
  if (!found) throw invalid(entry, 'it does not have the form FOLDER=PIPELINE[:PLATFORM][@TENANT]');
  const { folder = '', pipeline, tenant } = found;
  const platform = platforms.find((known) => known === found.platform);
  if (pipeline === 'ads' && platform === undefined) throw invalid(entry, `ads needs one of :${platforms.join(', :')}`);
  return { folder, pipeline: pipeline as WatchedFolder['pipeline'], platform, tenantId: tenant };
}

export async function startWatchedFolders(process: RoleProcess, installation: Installation): Promise<void> {
  const { config, log, shutdown } = process;
  for (const watched of parseWatchedFolders(config.watchedFolders)) {
    const tenantId = watched.tenantId ?? (await onlyTenant(installation, watched));
    // The name is part of every unique key, so it must not change while the folder does not.
    const source = new FolderSource({ name: `folder:${watched.folder}`, folder: watched.folder });
    await source.check();
    const collector = createCollector({
      source,
      tenantId,
      store: installation.blobs,
      db: installation.pools.control,
      maxBytes: config.uploadMaxSizeMb * 1024 ** 2,
      sniff: sniffs[watched.pipeline],
      deliver: (delivery) => deliverTo(installation.engine, log, watched, delivery),
      pollMs: POLL_MS,
      log,
    });
    collector.start();
    shutdown.add(`watched folder ${watched.folder}`, () => collector.stop());
  }
}

const sniffs: Record<WatchedFolder['pipeline'], Sniff> = { ads: sniffUpload, judgments: sniffTableFile };

async function deliverTo(engine: Engine, log: Log, watched: WatchedFolder, delivery: Delivery): Promise<Delivered> {
  const { tenantId, file, modifiedAt, uniqueKey, sourceName } = delivery;
  if (watched.pipeline === 'judgments') {
    const { runId, outcome } = await acceptBatch({ engine, log }, { tenantId, file, sourceId: sourceName });
    return { runId, created: outcome === 'accepted' };
  }
  // The numbers are as old as the file, not as its arrival here.
  const fields = { platform: watched.platform, source: 'manual' as const, reported_at: modifiedAt.toISOString() };
  const { id, created } = await engine.enqueue({
    pipeline: 'ads',
    tenantId,
    input: inputOf(fields, { filename: file.originalName, at: modifiedAt }),
    blobId: file.blobId,
    uniqueKey,
    sourceId: sourceName,
  });
  return { runId: id, created };
}

async function onlyTenant({ pools }: Installation, watched: WatchedFolder): Promise<string> {
  const [first, second] = await listTenants(pools.control);
  if (first === undefined || second !== undefined) {
    throw invalid(watched.folder, 'it names no tenant, and there is not exactly one');
  }
  return first.tenant_id;
}

function invalid(entry: string, reason: string): MillraceError {
  return new MillraceError('watched_folder_invalid', { entry, reason });
}
