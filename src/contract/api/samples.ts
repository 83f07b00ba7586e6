// Samples: small, deliberately dirty files that come with Millrace, one click to try a pipeline.
import { z } from 'zod';
import { allow } from './roles.ts';
import { defineRoutes, json } from './route.ts';
import { UploadAnswer } from './uploads.ts';
import { Count } from './values.ts';

export const Sample = z.object({
  name: z.string(),
  title: z.string(),
  about: z.string().describe('What is wrong with it, and what you will see.'),
  pipeline: z.string(),
  platform: z.string().nullable(),
  filename: z.string(),
  size_bytes: Count,
});

export const sampleRoutes = defineRoutes({
  'samples.list': {
    tag: 'Samples',
    summary: 'The samples that can be tried',
    access: allow(['admin', 'user']),
    answer: json(z.object({ data: z.array(Sample) })),
  },
  'samples.run': {
    tag: 'Samples',
    summary: 'Run a sample as if its file had been uploaded',
    access: allow(['admin', 'user']),
    params: z.object({ name: z.string().max(100) }),
    answer: json(UploadAnswer, 202),
    errors: ['sample_not_found'],
  },
});
