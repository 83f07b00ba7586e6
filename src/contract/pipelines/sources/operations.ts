// The operations of sources: method and path, free of zod (see api/operations.ts).

export const sourcesOperations = {
  'sources.list': ['GET', '/v1/sources'],
  'sources.create': ['POST', '/v1/sources'],
  'sources.preview': ['POST', '/v1/sources/preview'],
  'sources.show': ['GET', '/v1/sources/:source_id'],
  'sources.update': ['PATCH', '/v1/sources/:source_id'],
  'sources.remove': ['DELETE', '/v1/sources/:source_id'],
  'sources.sync': ['POST', '/v1/sources/:source_id/sync'],
  'sources.objects': ['GET', '/v1/sources/:source_id/objects'],
  'sources.lines': ['GET', '/v1/sources/:source_id/syncs/:sync_id/lines'],
} as const;
