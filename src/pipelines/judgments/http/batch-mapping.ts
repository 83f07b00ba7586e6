// GET and PUT /v1/batches/:batch_id/mapping: which column feeds which field. A saved version takes effect with the next run.
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { handle } from '../../../http/call.ts';
import { change, look } from '../../../http/routes/change.ts';
import type { Queryable } from '../../../platform/database.ts';
import { headerName } from '../../../tabular/mapping/header-name.ts';
import { saveMapping } from '../../../tabular/mapping/save-mapping.ts';
import { selectMapping } from '../../../tabular/mapping/sql/select-mapping.ts';
import { overridesFrom, withoutLines } from '../../../tabular/reading-overrides.ts';
import { judgmentFields } from '../fields.ts';
import { type AppliedMapping, type BatchReading, decideMapping } from '../reading.ts';
import { selectBatchReading, selectOverrides } from '../sql/batch-readings.ts';
import { findNewestRevision } from '../sql/find-batch.ts';

const pipeline = 'judgments';

export const showBatchMapping = handle('batches.mapping', async (call) => {
  const { mapping } = await look(call, (db, tenantId) => requireReading(db, tenantId, call.params.batch_id));
  return viewMapping(mapping);
});

export const mapBatch = handle('batches.map', async (call) => {
  const { params, body, principal } = call;
  const mapping = await change(
    call,
    async (db, tenantId) => {
      const { runId, reading, mapping: applied } = await requireReading(db, tenantId, params.batch_id);
      const { fingerprint, constants } = applied;
      const wanted = new Map(body.columns.map(({ index, field }) => [index, field]));
      const fields: Record<string, string | null> = {};
      for (const { column, header, field } of applied.columns)
        fields[headerName(header).key] ??= wanted.has(column) ? (wanted.get(column) ?? null) : field;
      const latest = await selectMapping(db, { pipeline, fingerprint });
      const said = withoutLines((await selectOverrides(db, runId)) ?? {});
      await saveMapping(
        db,
        {
          tenantId,
          pipeline,
          fingerprint,
          name: body.name ?? latest?.name ?? 'judgments',
          mapping: { fields, constants },
          reading: body.reading === undefined ? { ...latest?.reading, ...said } : overridesFrom(body.reading, {}),
          createdBy: principal.kind === 'user' ? principal.actorId : null,
          basedOn: latest?.version ?? 0,
        },
        judgmentFields,
      );
      return decideMapping(reading, await selectMapping(db, { pipeline, fingerprint }));
    },
    ({ version }) => ({ target: params.batch_id, data: { version } }),
  );
  return viewMapping(mapping);
});

async function requireReading(
  db: Queryable,
  tenantId: string,
  batch: string,
): Promise<BatchReading & { readonly runId: string }> {
  const newest = await findNewestRevision(db, tenantId, batch);
  if (newest === undefined) throw new MillraceError('batch_not_found', { batch });
  const stored = await selectBatchReading(db, newest.id);
  if (stored === undefined) throw new MillraceError('reading_not_ready', { upload: newest.id });
  return { ...stored, runId: newest.id };
}

function viewMapping(mapping: AppliedMapping): AnswerOf<'batches.mapping'> {
  const { fingerprint, version, origin, columns } = mapping;
  return {
    fingerprint,
    version,
    origin,
    columns: columns.map(({ column, header, field, reason }) => ({ index: column, header, field, reason })),
    fields: judgmentFields.fields.map(({ name, title, kind }) => ({ name, label: title, type: kind })),
  };
}
