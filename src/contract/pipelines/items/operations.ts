// The operations of the items pipeline: method and path, free of zod (see api/operations.ts).

export const itemsOperations = {
  'jobs.create': ['POST', '/api/jobs'],
  'jobs.try': ['POST', '/api/jobs/try'],
  'jobs.list': ['GET', '/api/jobs'],
  'jobs.show': ['GET', '/api/jobs/:job_id'],
  'jobs.remove': ['DELETE', '/api/jobs/:job_id'],
  'jobs.items': ['GET', '/api/jobs/:job_id/items'],
  'jobs.item': ['GET', '/api/jobs/:job_id/items/:item_id'],
  'jobs.correct': ['PATCH', '/api/jobs/:job_id/items/:item_id'],
  'jobs.kickoff': ['POST', '/api/jobs/:job_id/kickoff'],
  'jobs.pause': ['POST', '/api/jobs/:job_id/pause'],
  'jobs.resume': ['POST', '/api/jobs/:job_id/resume'],
  'jobs.reprocess': ['POST', '/api/jobs/:job_id/reprocess'],
  'jobs.export': ['POST', '/api/jobs/:job_id/export'],
  'jobs.exported': ['GET', '/api/jobs/:job_id/exports/:export_id'],
  'ingestion.scan': ['POST', '/api/ingestion/scan'],
  'pending.list': ['GET', '/api/pending'],
  'catalogs.create': ['POST', '/api/catalogs'],
  'catalogs.list': ['GET', '/api/catalogs'],
  'catalogs.remove': ['DELETE', '/api/catalogs/:catalog_id'],
} as const;
