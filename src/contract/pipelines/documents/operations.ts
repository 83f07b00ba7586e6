// The operations of the documents pipeline: method and path, free of zod (see api/operations.ts).

export const documentsOperations = {
  'documents.ingest': ['POST', '/v1/ingest'],
  'documents.list': ['GET', '/v1/documents'],
  'documents.orphans': ['GET', '/v1/documents/orphans'],
  'documents.show': ['GET', '/v1/documents/:doc_id'],
  'documents.update': ['PATCH', '/v1/documents/:doc_id'],
  'documents.purge': ['DELETE', '/v1/documents/:doc_id'],
  'documents.deactivate': ['POST', '/v1/documents/:doc_id/deactivate'],
  'documents.reactivate': ['POST', '/v1/documents/:doc_id/reactivate'],
  'documents.pages': ['GET', '/v1/documents/:doc_id/versions/:version/pages'],
  'documents.page': ['GET', '/v1/documents/:doc_id/versions/:version/pages/:page_no'],
  'documents.page-image': ['GET', '/v1/documents/:doc_id/versions/:version/pages/:page_no/image'],
  'documents.page-retry': ['POST', '/v1/documents/:doc_id/versions/:version/pages/:page_no/retry'],
  'documents.chunks': ['GET', '/v1/documents/:doc_id/versions/:version/chunks'],
  'documents.changes': ['GET', '/v1/documents/:doc_id/versions/:version/changes'],
  'documents.markdown': ['GET', '/v1/documents/:doc_id/versions/:version/markdown'],
  'documents.original': ['GET', '/v1/documents/:doc_id/versions/:version/original'],
} as const;
