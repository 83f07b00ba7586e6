// Embedding models of a tenant: added, built beside the active one, compared, made active, taken back, retired.
import { z } from 'zod';
import { allow } from '../../api/roles.ts';
import { defineRoutes, json } from '../../api/route.ts';
import { Count, Id, Time } from '../../api/values.ts';

const ModelId = z.string().min(1).max(300).describe('As the list of models names it.');

const EmbeddingModel = z.object({
  model_id: ModelId,
  name: z.string(),
  provider: z.enum(['embedded', 'http', 'local']),
  dims: Count,
  max_tokens: Count,
  state: z
    .enum(['available', 'building', 'ready', 'active', 'retired'])
    .describe('available: the installation can use it, and this tenant does not. ready: can be made active at once.'),
  is_configured: z
    .boolean()
    .describe('false: the settings do not name it any more; questions cannot be asked with it.'),
  is_previous: z.boolean().describe('What a rollback would make active.'),
  served: Count.describe('Passages of active documents.'),
  vectors: Count.describe('Those of them that have a vector of this model.'),
  build: z
    .object({
      is_running: z.boolean(),
      passages: Count.describe('Found without a vector by the build: embedded plus reused.'),
      embedded: Count,
      reused: Count,
      trouble: z.string().nullable().describe('Why the last part failed; it is tried again by itself.'),
      next_try_at: Time.nullable(),
    })
    .nullable(),
  added_at: Time.nullable(),
  ready_at: Time.nullable(),
  activated_at: Time.nullable(),
});

const Place = z.object({ chunk_id: Id, doc_id: Id, title: z.string(), page: Count });

const ModelComparison = z.object({
  model_id: ModelId,
  against: ModelId,
  overlap_at_10: z.number().nullable().describe('Of the ten chunks both find, the share they have in common.'),
  by_kind: z.array(
    z.object({
      kind: z.enum(['asked', 'given', 'probe']),
      questions: Count,
      overlap_at_10: z.number().nullable(),
    }),
  ),
  probes: z
    .object({ count: Count, found_by_model: Count, found_by_against: Count })
    .describe('Sentences of the documents, and how many of them led back to their chunk.'),
  disagreements: z.array(
    z.object({
      kind: z.enum(['asked', 'given', 'probe']),
      question: z.string(),
      overlap_at_10: z.number(),
      only_model: z.array(Place),
      only_against: z.array(Place),
    }),
  ),
});

const byModel = z.strictObject({ model_id: ModelId });
const changing = allow(['admin'], 'operate:write');
const missing = ['model_unknown'] as const;

export const modelRoutes = defineRoutes({
  'models.list': {
    tag: 'Search',
    summary: 'Embedding models of this tenant, and those it could use',
    access: allow(['admin'], 'operate:read'),
    answer: json(z.object({ data: z.array(EmbeddingModel) })),
  },
  'models.add': {
    tag: 'Search',
    summary: 'Build vectors of another model beside the active one',
    notes:
      'Nothing that is served changes. Documents ingested meanwhile get vectors of both. The list of models says how far the build is.',
    access: changing,
    body: byModel,
    answer: json(EmbeddingModel, 201),
    errors: [...missing],
  },
  'models.compare': {
    tag: 'Search',
    summary: 'Compare a model with the active one',
    notes:
      'By vectors alone: the newest questions that were asked (none of a conversation), those given, and sentences of the own documents, whose chunk each should find again. The disagreements are for a person to look at.',
    access: allow(['admin'], 'operate:read'),
    body: z.strictObject({
      model_id: ModelId,
      against: ModelId.optional().describe('Default: the active one.'),
      questions: z.array(z.string().min(1).max(1_000)).max(50).optional(),
    }),
    answer: json(ModelComparison),
    errors: [...missing, 'model_not_ready'],
  },
  'models.activate': {
    tag: 'Search',
    summary: 'Ask questions with this model from now on',
    notes: 'Each question uses the one model or the other, never both. The former model stays ready.',
    access: changing,
    body: byModel,
    answer: json(EmbeddingModel),
    errors: [...missing, 'model_not_ready'],
  },
  'models.rollback': {
    tag: 'Search',
    summary: 'Ask questions with the former model again',
    access: changing,
    body: z.strictObject({}).optional(),
    answer: json(EmbeddingModel),
    errors: ['model_without_previous', 'model_not_ready', ...missing],
  },
  'models.retire': {
    tag: 'Search',
    summary: 'Stop using a model and remove its vectors',
    access: changing,
    body: byModel,
    answer: json(EmbeddingModel),
    errors: [...missing, 'model_is_active'],
  },
});
