// Pipelines: their machines for drawing, what they take, and whether this tenant's work in them is paused.
import { z } from 'zod';
import { allow, type Role } from './roles.ts';
import { defineRoutes, json } from './route.ts';
import { Phase } from './runs.ts';
import { Count, Time } from './values.ts';

const MachineState = z.object({
  name: z.string(),
  phase: Phase,
  stage: z.string().nullable(),
  on: z.record(z.string(), z.string()),
});

export const Pipeline = z.object({
  name: z.string(),
  title: z.string(),
  accepts: z.array(z.string()).describe('File extensions, without the dot.'),
  takes: z.string().nullable().describe('What may be uploaded to it, in words; null: it takes no files.'),
  fields: z.array(z.string()).describe('The form fields beside the file.'),
  may_start: z.boolean().describe('Whether POST /v1/runs may start one.'),
  machine: z.object({ version: z.int(), initial: z.string(), states: z.array(MachineState) }),
  stages: z.array(z.string()),
  lane_cap: Count.nullable(),
  paused: z.object({ at: Time, by: z.string().nullable(), scope: z.enum(['tenant', 'installation']) }).nullable(),
  counts: z.record(z.string(), Count).describe('All runs of this tenant by phase; held ones wait.'),
});

const byName = z.object({ pipeline: z.string().max(60) });
const readers: readonly Role[] = ['admin', 'user', 'support', 'service'];

export const pipelineRoutes = defineRoutes({
  'pipelines.list': {
    tag: 'Pipelines',
    summary: 'The pipelines with their machines',
    access: allow(readers, 'runs:read'),
    answer: json(z.object({ data: z.array(Pipeline) })),
  },
  'pipelines.pause': {
    tag: 'Pipelines',
    summary: 'Stop starting this tenant’s waiting runs of a pipeline; running ones go on',
    access: allow(['admin', 'service'], 'operate:write'),
    params: byName,
    body: z.strictObject({ reason: z.string().max(500).optional() }).optional(),
    answer: json(Pipeline),
    errors: ['pipeline_unknown'],
  },
  'pipelines.resume': {
    tag: 'Pipelines',
    summary: 'Start this tenant’s waiting runs of a pipeline again',
    access: allow(['admin', 'service'], 'operate:write'),
    params: byName,
    answer: json(Pipeline),
    errors: ['pipeline_unknown'],
  },
});
