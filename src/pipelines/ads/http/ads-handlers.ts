// What the ads pipeline brings to the HTTP API: its numbers, reading and mapping, its intake, and how its refused rows are fixed.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { ShownRun } from '../../../engine/reads/run-columns.ts';
import type { Handlers } from '../../../http/call.ts';
import { headerOf } from '../../../http/reject-tools/header-of.ts';
import { type RejectTools, replayRequest } from '../../../http/reject-tools/reject-tools.ts';
import { correctedRun, requireReturnedRun } from '../../../http/reject-tools/returned-run.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { withTenant } from '../../../platform/database.ts';
import type { Intake, IntakeRequest } from '../../../sources/intake.ts';
import { mappingIdOf } from '../../../tabular/mapping/applied-mapping.ts';
import { listMappings } from '../../../tabular/mapping/sql/list-mappings.ts';
import { checkRows } from '../corrections.ts';
import { platforms } from '../fields.ts';
import { AdsInput } from '../input.ts';
import { AdsUploadFields, fileOfRows, inputOf, sniffUpload } from '../intake.ts';
import { replayRejects } from '../replay.ts';
import { hasClient } from '../sql/has-client.ts';
import { selectUploadReading, type UploadReadingRow } from '../sql/upload-readings.ts';
import { listDailyMetrics } from './daily-metrics.ts';
import { listAdSets, listAds, listCampaigns } from './dimensions.ts';
import { mappingHandlers } from './mapping.ts';
import { readProvenance } from './provenance.ts';
import { readingHandlers } from './reading.ts';
import { rereadHandlers } from './reread.ts';
import { listTotals } from './totals.ts';

const ALL_MAPPINGS = 10_000;

/** Its numbers, read back. */
export const adsDataHandlers: Handlers = {
  ...listCampaigns,
  ...listAdSets,
  ...listAds,
  ...listDailyMetrics,
  ...listTotals,
  ...readProvenance,
};

export function adsHandlers(deps: { readonly store: BlobStore }): Handlers {
  return {
    ...readingHandlers(deps),
    ...mappingHandlers(deps),
    ...rereadHandlers,
    ...adsDataHandlers,
  };
}

export function adsIntake(engine: Engine): Intake<typeof AdsUploadFields> {
  return {
    title: 'An export of Meta, Google or TikTok ads',
    accepts: ['csv', 'tsv', 'txt', 'json', 'ndjson', 'xlsx'],
    fields: AdsUploadFields,
    sniff: sniffUpload,
    fileOfRows,
    folderFields(word) {
      const platform = platforms.find((known) => known === word);
      if (platform === undefined) throw new Error(`it needs one of :${platforms.join(', :')}`);
      return { platform, source: 'manual' };
    },
    async check(request) {
      await inputFor(engine, request);
    },
    async accept(request) {
      const { createdBy, correlationId, sourceId, uniqueKey } = request;
      const { id, created } = await engine.enqueue({
        pipeline: 'ads',
        tenantId: request.tenantId,
        input: await inputFor(engine, request),
        blobId: request.file.blobId,
        ...(createdBy === undefined ? {} : { createdBy }),
        ...(correlationId === undefined ? {} : { correlationId }),
        ...(sourceId === undefined ? {} : { sourceId }),
        ...(uniqueKey === undefined ? {} : { uniqueKey }),
      });
      return { runId: id, status: 'pending', created };
    },
  };
}

async function inputFor(
  engine: Engine,
  { tenantId, fields, file, at, sourceId, sameBytesAs }: IntakeRequest<AdsUploadFields>,
): Promise<AdsInput> {
  const { mapping_id: wanted } = fields;
  const corrected = correctedRun(fields);
  const returned = corrected === undefined ? undefined : await requireReturnedRun(engine, tenantId, corrected, 'ads');
  const original = returned === undefined ? undefined : AdsInput.parse(returned.input);
  if (fields.client_id !== undefined) await requireClient(engine, tenantId, fields.client_id);
  const mappingFingerprint = wanted === undefined ? undefined : await fingerprintOf(engine, tenantId, wanted);
  // In a folder the numbers are as old as the file, not as its arrival here.
  const asked = sourceId === undefined ? fields : { reported_at: at.toISOString(), ...fields };
  return inputOf(asked, { filename: file.originalName, at, sameBytesAs, mappingFingerprint, original });
}

export function adsRejectTools(engine: Engine, store: BlobStore): RejectTools {
  return {
    header: async (run) => headerOf((await readingOf(engine, run)).reading),
    check: async (run, rows) => checkRows(await readingOf(engine, run), rows),
    replay: (run, which, by) => replayRejects(engine, store, replayRequest(run, which, by)),
  };
}

/** A replay reads as the run it replays did. */
async function readingOf(engine: Engine, run: ShownRun): Promise<UploadReadingRow> {
  const { replay_of: original } = AdsInput.parse(run.input);
  const found = await withTenant(engine.pools.effects, { tenantId: run.tenant_id, role: 'ads_parse' }, (tx) =>
    selectUploadReading(tx, original ?? run.id),
  );
  if (found === undefined) throw new MillraceError('reading_not_ready', { upload: run.id });
  return found;
}

async function requireClient(engine: Engine, tenantId: string, clientId: string): Promise<void> {
  const isKnown = await withTenant(engine.pools.effects, { tenantId, role: 'ads_intake' }, (tx) =>
    hasClient(tx, tenantId, clientId),
  );
  if (!isKnown) throw new MillraceError('client_not_found', { client: clientId });
}

async function fingerprintOf(engine: Engine, tenantId: string, mappingId: string): Promise<string> {
  const known = await withTenant(engine.pools.effects, { tenantId, role: 'ads_intake' }, (tx) =>
    listMappings(tx, { pipeline: 'ads', limit: ALL_MAPPINGS }),
  );
  const found = known.find(({ fingerprint }) => mappingIdOf(fingerprint) === mappingId);
  if (found === undefined) throw new MillraceError('mapping_invalid', { reason: `there is no mapping ${mappingId}` });
  return found.fingerprint;
}
