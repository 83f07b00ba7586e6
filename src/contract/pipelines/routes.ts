// The route tables of the pipelines and their sections of the metrics, assembled for api/. Apart from all.ts, because these need zod and the browser must not.
import { Ad, AdSet, adsRoutes, Campaign, DailyMetric, Provenance, Total } from './ads/api.ts';
import { documentRoutes } from './documents/api.ts';
import { modelRoutes } from './documents/models-api.ts';
import { searchRoutes } from './documents/search-api.ts';
import { itemsRoutes } from './items/api.ts';
import { ItemMetrics } from './items/metrics.ts';
import { judgmentRoutes } from './judgments/api.ts';
import { IngestMetrics } from './judgments/metrics.ts';
import { sourceRoutes } from './sources/api.ts';
import { syncRoutes } from './syncs/api.ts';
import { connectorRoutes } from './syncs/connectors-api.ts';
import { SyncMetrics } from './syncs/metrics.ts';

export const pipelinesOwnRoutes = {
  ...adsRoutes,
  ...judgmentRoutes,
  ...connectorRoutes,
  ...syncRoutes,
  ...documentRoutes,
  ...searchRoutes,
  ...modelRoutes,
  ...itemsRoutes,
  ...sourceRoutes,
};

/** Sections that pipelines add to GET /api/metrics. */
export const pipelineSections = { ingest: IngestMetrics, syncs: SyncMetrics, items: ItemMetrics };

export type PipelineSection = keyof typeof pipelineSections;

/** Shapes of their answers that have a name of their own in the OpenAPI document. */
export const pipelineShapes = { Ad, AdSet, Campaign, DailyMetric, Provenance, Total };
