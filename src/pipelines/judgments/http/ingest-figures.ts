// The section `ingest` of GET /api/metrics: the names of the judgments specification, of judgments only.
import type { FiguresQuestion } from '../../../http/pipeline-parts.ts';
import { readIngestFigures } from '../sql/read-ingest-figures.ts';

export async function ingestSection({ tenantId, db, lanes }: FiguresQuestion) {
  const figures = await readIngestFigures(db, tenantId);
  return {
    ingest: {
      backlog_count: lanes.reduce((total, lane) => total + lane.waiting + lane.active, 0),
      ...figures,
      last_failed_at: figures.last_failed_at?.toISOString() ?? null,
    },
  };
}
