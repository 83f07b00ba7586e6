// The route table: every operation with its schemas and who may call it. Nothing is served that is not listed here.
import { pipelinesOwnRoutes } from '../pipelines/routes.ts';
import { alertRoutes } from './alerts.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { authRoutes } from './auth.ts';
import { clientRoutes } from './clients.ts';
import { ingestionRunRoutes } from './ingestion-runs.ts';
import { liveRoutes } from './live.ts';
import { mcpRoutes } from './mcp.ts';
import { membershipRoutes } from './memberships.ts';
import { operateRoutes } from './operate.ts';
import type { OperationId } from './operations.ts';
import { pipelineRoutes } from './pipelines.ts';
import { questionRoutes } from './questions.ts';
import { readingRoutes } from './reading.ts';
import { rejectRoutes } from './rejects.ts';
import type { RouteSpec } from './route.ts';
import { runRoutes } from './runs.ts';
import { sampleRoutes } from './samples.ts';
import { systemRoutes } from './system.ts';
import { uploadRoutes } from './uploads.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';

export const routes = {
  ...systemRoutes,
  ...mcpRoutes,
  ...authRoutes,
  ...userRoutes,
  ...clientRoutes,
  ...apiKeyRoutes,
  ...membershipRoutes,
  ...uploadRoutes,
  ...readingRoutes,
  ...runRoutes,
  ...questionRoutes,
  ...ingestionRunRoutes,
  ...rejectRoutes,
  ...pipelineRoutes,
  ...liveRoutes,
  ...pipelinesOwnRoutes,
  ...operateRoutes,
  ...alertRoutes,
  ...webhookRoutes,
  ...sampleRoutes,
} satisfies Record<OperationId, RouteSpec>;

export type Routes = typeof routes;
