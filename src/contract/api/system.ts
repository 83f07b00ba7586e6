// Liveness, readiness, metrics, and the description of the API itself.
import { z } from 'zod';
import { pipelineSections } from '../pipelines/routes.ts';
import { allow, anyone } from './roles.ts';
import { defineRoutes, file, json } from './route.ts';
import { Count } from './values.ts';

const Health = z.object({ status: z.literal('ok'), version: z.string(), uptime_s: z.number() });

const Ready = z.object({
  status: z.enum(['ready', 'degraded', 'not_ready']),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), ms: z.number(), detail: z.string().optional() })),
});

/** The figures the jobs specification names, over the last hour. */
const PaceMetrics = z.object({
  by_pipeline: z.record(
    z.string(),
    z.object({
      ingest_ms: z.number().nullable().describe('Mean time from the first claim to a good end.'),
      items_sec: z.number().nullable().describe('Items read for each second of work.'),
      error_rate: z.number().nullable().describe('Share of ended runs that failed.'),
      not_found_rate: z
        .number()
        .nullable()
        .describe('Share of ended runs that failed because something was not found.'),
    }),
  ),
  api_throttle_rate: z
    .record(z.string(), z.number())
    .describe('By provider: share of attempts that were told to wait, of runs made in the last hour or waiting now.'),
  queue_depth: Count.describe('Runs of this tenant that wait for a worker.'),
  pending_count: Count.describe('Runs of this tenant that have not ended: waiting, held or at work.'),
  db_latency_ewma_ms: z.number().describe('Moving average, of the answering process.'),
  pool_wait_ms: z.number().describe('How long a request waits now for a connection, in the answering process.'),
});

/** The dashboard's figures. Pipelines add sections in the words of their specifications. */
const Metrics = z.object({
  ...pipelineSections,
  pipelines: z.record(z.string(), z.record(z.string(), Count)).describe('Runs by pipeline and phase.'),
  pace: PaceMetrics,
  open_alerts: Count,
  workers_alive: Count,
  oldest_waiting_s: z.number().nullable(),
});

export const systemRoutes = defineRoutes({
  'system.health': { tag: 'System', summary: 'The process is alive', access: anyone, answer: json(Health) },
  'system.ready': {
    tag: 'System',
    summary: 'Database, migrations and blob store answer (503 when one does not)',
    notes:
      'degraded (200): requests are served, but accepted work does not move on; `work` says what makes no progress.',
    access: anyone,
    answer: json(Ready),
  },
  'system.prometheus': {
    tag: 'System',
    summary: 'Metrics of this process for Prometheus',
    notes: 'Open on loopback; elsewhere it needs METRICS_TOKEN as a bearer token.',
    access: anyone,
    answer: file('text/plain'),
    errors: ['unauthenticated'],
  },
  'system.metrics': {
    tag: 'System',
    summary: 'Figures of this tenant for a dashboard',
    access: allow(['admin', 'user', 'service'], 'operate:read'),
    answer: json(Metrics),
  },
  'system.openapi': {
    tag: 'System',
    summary: 'This API as OpenAPI 3.1',
    access: anyone,
    answer: file('application/json'),
  },
  'system.docs': { tag: 'System', summary: 'This API, browsable', access: anyone, answer: file('text/html') },
});
