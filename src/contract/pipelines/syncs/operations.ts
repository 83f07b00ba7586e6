// The operations of the syncs pipeline: method and path, free of zod (see api/operations.ts).

export const syncsOperations = {
  'connectors.list': ['GET', '/v1/connectors'],
  'connectors.available': ['GET', '/v1/connectors/available'],
  'connectors.create': ['POST', '/v1/connectors'],
  'connectors.show': ['GET', '/v1/connectors/:connector_id'],
  'connectors.update': ['PATCH', '/v1/connectors/:connector_id'],
  'connectors.remove': ['DELETE', '/v1/connectors/:connector_id'],
  'syncs.trigger': ['POST', '/v1/syncs'],
  'syncs.list': ['GET', '/v1/syncs'],
  'syncs.figures': ['GET', '/v1/syncs/figures'],
  'syncs.show': ['GET', '/v1/syncs/:job_id'],
  'syncs.cancel': ['POST', '/v1/syncs/:job_id/cancel'],
} as const;
