// GET /v1/ads/provenance: where one stored number came from, and what it was before. An older path gives the same answer.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Call, handle } from '../../../http/call.ts';
import { look } from '../../../http/routes/change.ts';
import { type Measure, measures } from '../fields.ts';
import { findMetric, findOrigin, listHistory, type OriginRow } from '../sql/read-metrics.ts';
import { parseMetricId, viewMetric } from './metric-view.ts';

export const readProvenance = { ...handle('ads.provenance', read), ...handle('ads.passport', read) };

async function read(call: Pick<Call<'ads.provenance'>, 'app' | 'principal' | 'query'>) {
  const { metric_id, measure } = call.query;
  const place = parseMetricId(metric_id);
  const name = measures.find((candidate) => candidate === measure);
  const missing = new MillraceError('metric_not_found', { metric: metric_id });
  if (place === undefined || name === undefined) throw missing;
  return look(call, async (db, tenantId) => {
    const metric = await findMetric(db, tenantId, place.day, place.number);
    if (metric === undefined) throw missing;
    const origin = await findOrigin(db, tenantId, metric.run_id);
    const history = await listHistory(db, tenantId, metric.id);
    return {
      metric: viewMetric(metric),
      measure: name,
      value: metric[name],
      origin: origin === undefined ? null : viewOrigin(origin, metric, name),
      history: history.map((row) => ({
        value: row[name],
        reported_at: row.reported_at.toISOString(),
        run_id: row.run_id,
        recorded_at: row.recorded_at.toISOString(),
      })),
    };
  });
}

function viewOrigin(origin: OriginRow, place: { line: number; byte_offset: number }, measure: Measure) {
  const { mapping } = origin;
  const wanted = measure === 'spend' ? ['spend', 'spend_micros'] : [measure];
  return {
    run_id: origin.run_id,
    filename: origin.filename,
    sha256: origin.sha256,
    line: place.line,
    byte_offset: place.byte_offset,
    column: mapping?.columns.find(({ field }) => field !== null && wanted.includes(field))?.header ?? null,
    mapping: mapping === null ? null : { mapping_id: null, name: mapping.name, version: mapping.version },
    uploaded_by: origin.uploaded_by,
    uploaded_at: origin.uploaded_at.toISOString(),
  };
}
