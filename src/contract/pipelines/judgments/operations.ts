// The operations of the judgments pipeline: method and path, free of zod (see api/operations.ts).

export const judgmentsOperations = {
  'batches.create': ['POST', '/v1/batches'],
  'batches.list': ['GET', '/v1/batches'],
  'batches.checks': ['GET', '/v1/batch-checks'],
  'batches.show': ['GET', '/v1/batches/:batch_id'],
  'batches.remove': ['DELETE', '/v1/batches/:batch_id'],
  'batches.reading': ['GET', '/v1/batches/:batch_id/reading'],
  'batches.override': ['PUT', '/v1/batches/:batch_id/reading'],
  'batches.mapping': ['GET', '/v1/batches/:batch_id/mapping'],
  'batches.map': ['PUT', '/v1/batches/:batch_id/mapping'],
  'judgments.list': ['GET', '/v1/judgments'],
  'plaintiffs.list': ['GET', '/v1/plaintiffs'],
  'plaintiffs.split': ['POST', '/v1/plaintiffs/:plaintiff_id/split'],
  'plaintiff-reviews.list': ['GET', '/v1/plaintiff-reviews'],
  'plaintiff-reviews.decide': ['POST', '/v1/plaintiff-reviews/:review_id/decision'],
} as const;
