// What other pipelines may ask of the connected sources, without knowing what a source is: an object by its key, and a sync of those that
// feed a pipeline. The sources kit provides it; kits that need it get it when the installation is ready.
import type { Sniff, StoredFile } from '../engine/blobs/store-file.ts';
import type { Origin } from './intake.ts';

export interface WantedObject {
  readonly tenantId: string;
  readonly sourceId: string;
  /** As `GET /v1/sources/:source_id/objects` names it. */
  readonly key: string;
  readonly sniff: Sniff;
  readonly signal: AbortSignal;
  /** A person who may only have what their own sources show: any other source is one that does not exist. */
  readonly onlyOf?: string | undefined;
}

export interface FetchedObject {
  /** Stored and not recorded yet: it becomes a run by `acceptFile`, or is taken back. */
  readonly file: StoredFile;
  /** When it was changed at its place; now, where the place does not say. */
  readonly at: Date;
  readonly origin: Origin;
  /** Who connected the source. */
  readonly createdBy: string | null;
  /** Of this source, object and content: the same request twice is one run. */
  readonly uniqueKey: string;
}

export interface StartedScan {
  readonly sourceId: string;
  readonly name: string;
  readonly runId: string;
  /** False: it is syncing already. */
  readonly created: boolean;
}

export interface ConnectedSources {
  /** Fails as a sync would: source_not_found, source_object_gone, file_too_large, source_denied … and for a key outside the source's scope. */
  fetch(wanted: WantedObject): Promise<FetchedObject>;
  /** Syncs every source that feeds the pipeline and is not paused, or the one that is named. */
  scan(asked: {
    readonly tenantId: string;
    readonly pipeline: string;
    readonly sourceId?: string | undefined;
    readonly createdBy?: string | undefined;
  }): Promise<readonly StartedScan[]>;
}
