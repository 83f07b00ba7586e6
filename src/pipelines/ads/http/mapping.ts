// GET and PUT /v1/uploads/:upload_id/mapping, GET /v1/mappings: which column feeds which field; saved versions.

import type { z } from 'zod';
import { makerOf } from '../../../access/principal.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { MappingWrite } from '../../../contract/api/reading.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { pageOf, readCursor, writeCursor } from '../../../http/cursor.ts';
import type { RunCall } from '../../../http/reading/reading-tools.ts';
import { fieldsOf, saveMapped } from '../../../http/reading/save-mapped.ts';
import { viewMapping } from '../../../http/reading/view-mapping.ts';
import { change, look } from '../../../http/routes/change.ts';
import type { BlobStore } from '../../../platform/blob/blob-store.ts';
import { mappingIdOf } from '../../../tabular/mapping/applied-mapping.ts';
import { readConstants } from '../../../tabular/mapping/constants.ts';
import { listMappings } from '../../../tabular/mapping/sql/list-mappings.ts';
import { adsFields } from '../fields.ts';
import { applyChoices, isOfOneFile } from '../mapping-choices.ts';
import { decideMapping, decideReading, type UploadChoices } from '../reading.ts';
import { selectChoices, selectUploadReading, upsertChoices } from '../sql/upload-readings.ts';
import { overridesOf, requireUpload } from './reading.ts';

const fingerprintShape = /^[0-9a-f]{32}$/;

export function mappingHandlers({ store }: { readonly store: BlobStore }): Handlers {
  return {
    ...handle('uploads.mapping', (call) => showMapping(call, store, call.params.upload_id)),
    ...handle('uploads.map', (call) => mapColumns(call, store, call.params.upload_id, call.body)),
    ...handle('mappings.list', async (call) => {
      const { after, limit } = call.query;
      const cursor = readCursor(after, fingerprintShape);
      const rows = await look(call, (db) =>
        listMappings(db, { pipeline: 'ads', limit: limit + 1, ...(cursor === null ? {} : { after: cursor[0] }) }),
      );
      const page = pageOf(rows, limit, (row) => writeCursor(row.fingerprint));
      return {
        data: page.data.map((row) => ({
          mapping_id: mappingIdOf(row.fingerprint),
          name: row.name,
          version: row.version,
          fingerprint: row.fingerprint,
          pipeline: row.pipeline,
          platform: null,
          columns: Object.entries(row.mapping.fields).map(([header, field]) => ({ header, field })),
          constants: row.mapping.constants ?? {},
          reading: { ...row.reading },
          created_by: row.createdBy,
          created_at: row.createdAt.toISOString(),
        })),
        next: page.next,
      };
    }),
  };
}

const mappedBy = (platform: string) => ({
  pipeline: 'ads',
  platform,
  fields: adsFields,
  requiredFields: ['metric_date'],
});

export async function showMapping(
  call: RunCall,
  store: BlobStore,
  upload: string,
): Promise<AnswerOf<'uploads.mapping'>> {
  const { input, reading, mapping } = await readUpload(call, store, upload);
  return viewMapping(mapping, reading, mappedBy(input.platform));
}

export async function mapColumns(
  call: RunCall,
  store: BlobStore,
  upload: string,
  body: z.output<typeof MappingWrite>,
): Promise<AnswerOf<'uploads.mapping'>> {
  const { input, reading, mapping, source, overrides, said } = await readUpload(call, store, upload);
  const plain = await decideReading(source, input.platform).catch(() => reading);
  const fields = fieldsOf(mapping, body);
  const given = body.constants === undefined ? mapping.constants : readConstants(body.constants, adsFields);
  const doubled = Object.keys(given).find((field) => isOfOneFile(field) && Object.values(fields).includes(field));
  if (doubled !== undefined)
    throw new MillraceError('mapping_invalid', { reason: `"${doubled}" has both a column and a constant` });
  const constants = Object.fromEntries(Object.entries(given).filter(([field]) => !isOfOneFile(field)));
  const choices = withDay(said, body.constants === undefined ? undefined : (given.metric_date ?? null));
  const saved = await change(
    call,
    async (db, tenantId) => {
      await upsertChoices(db, { uploadId: upload, workspaceId: tenantId, choices });
      const file = {
        ...{ tenantId, pipeline: 'ads', fingerprint: mapping.fingerprint, plain, overrides, given: body },
        mapping: { fields, constants },
        name: `${input.platform} export`,
        savedBy: makerOf(call.principal) ?? null,
      };
      return saveMapped(db, file, adsFields);
    },
    () => ({ target: upload }),
  );
  const decided = applyChoices(decideMapping(reading, input.platform, saved), reading, choices);
  return viewMapping(decided, reading, mappedBy(input.platform));
}

/** The day said for the file; null takes it back, undefined leaves it as it was. */
function withDay({ day: before, ...rest }: UploadChoices, day: string | null | undefined): UploadChoices {
  const now = day === undefined ? before : (day ?? undefined);
  return now === undefined ? rest : { ...rest, day: now };
}

async function readUpload(call: RunCall, store: BlobStore, upload: string) {
  return look(call, async (db, tenantId) => {
    const { input, source } = await requireUpload(db, store, tenantId, upload);
    const stored = await selectUploadReading(db, upload);
    if (stored === undefined) throw new MillraceError('reading_not_ready', { upload });
    const overrides = await overridesOf(db, upload, input);
    const said = { ...input.choices, ...(await selectChoices(db, upload)) };
    return { input, source, overrides, said, reading: stored.reading, mapping: stored.mapping };
  });
}
