// What the ads pipeline brings to the front door beside its numbers: reading and mapping, its upload door, and how its refused rows
// are mended.

import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Engine } from '../../../engine/engine.ts';
import { checkRows } from '../../../pipelines/ads/corrections.ts';
import { AdsInput } from '../../../pipelines/ads/input.ts';
import { fileOfRows, inputOf, mappingIdOf, sniffUpload } from '../../../pipelines/ads/intake.ts';
import { replayRejects } from '../../../pipelines/ads/replay.ts';
import { selectUploadReading, type UploadReadingRow } from '../../../pipelines/ads/sql/upload-readings.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { withTenant } from '../../../platform/database.ts';
import { listMappings } from '../../../tabular/mapping/sql/list-mappings.ts';
import type { Handlers } from '../../call.ts';
import { headerOf } from '../../rejects/header-of.ts';
import type { RejectTools } from '../../rejects/reject-tools.ts';
import { requireReturnedRun } from '../../rejects/returned-run.ts';
import type { RunRow } from '../../sql/run-columns.ts';
import type { UploadDoor } from '../../uploads/create-upload.ts';
import { mappingHandlers } from './mapping.ts';
import { readingHandlers } from './reading.ts';

const ALL_MAPPINGS = 10_000;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function adsHandlers(deps: { readonly store: BlobStore }): Handlers {
  return {
    ...readingHandlers(deps),
    ...mappingHandlers(deps),
  };
}

export function adsUploadDoor(engine: Engine): UploadDoor {
  return {
    sniff: sniffUpload,
    fileOfRows,
    async inputOf(fields, received, tenantId) {
      const { mapping_id: wanted, retry_of: corrected } = fields;
      const returned =
        corrected === undefined ? undefined : await requireReturnedRun(engine, tenantId, corrected, 'ads');
      const original = returned === undefined ? undefined : AdsInput.parse(returned.input);
      const mappingFingerprint = wanted === undefined ? undefined : await fingerprintOf(engine, tenantId, wanted);
      return inputOf(fields, { ...received, mappingFingerprint, original });
    },
  };
}

export function adsRejectTools(engine: Engine, store: BlobStore): RejectTools {
  return {
    header: async (run) => headerOf((await readingOf(engine, run)).reading),
    check: async (run, rows) => checkRows(await readingOf(engine, run), rows),
    replay: (run, which, { principal, correlationId }) =>
      replayRejects(engine, store, {
        tenantId: run.tenant_id,
        runId: run.id,
        ...which,
        correlationId,
        createdBy: uuid.test(principal.actorId) ? principal.actorId : undefined,
      }),
  };
}

/** A replay reads as the run it replays did. */
async function readingOf(engine: Engine, run: RunRow): Promise<UploadReadingRow> {
  const { replay_of: original } = AdsInput.parse(run.input);
  const found = await withTenant(engine.pools.effects, { tenantId: run.tenant_id, role: 'ads_parse' }, (tx) =>
    selectUploadReading(tx, original ?? run.id),
  );
  if (found === undefined) throw new MillraceError('reading_not_ready', { upload: run.id });
  return found;
}

async function fingerprintOf(engine: Engine, tenantId: string, mappingId: string): Promise<string> {
  const known = await withTenant(engine.pools.effects, { tenantId, role: 'ads_parse' }, (tx) =>
    listMappings(tx, { pipeline: 'ads', limit: ALL_MAPPINGS }),
  );
  const found = known.find(({ fingerprint }) => mappingIdOf(fingerprint) === mappingId);
  if (found === undefined) throw new MillraceError('mapping_invalid', { reason: `there is no mapping ${mappingId}` });
  return found.fingerprint;
}
