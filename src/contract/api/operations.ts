// Every operation of the HTTP API with its method and path, and nothing else: the browser's client imports this file at run time,
// so it must stay free of zod. routes.ts gives each operation its schemas; a name missing there does not compile.

export const operations = {
  'system.health': ['GET', '/health'],
  'system.ready': ['GET', '/ready'],
  'system.prometheus': ['GET', '/metrics'],
  'system.metrics': ['GET', '/api/metrics'],
  'system.openapi': ['GET', '/openapi.json'],
  'system.docs': ['GET', '/docs'],

  'auth.login': ['POST', '/v1/auth/login'],
  'auth.me': ['GET', '/v1/auth/me'],
  'auth.logout': ['POST', '/v1/auth/logout'],
  'auth.password': ['POST', '/v1/auth/password'],

  'users.list': ['GET', '/v1/users'],
  'users.create': ['POST', '/v1/users'],
  'users.show': ['GET', '/v1/users/:user_id'],
  'users.update': ['PATCH', '/v1/users/:user_id'],
  'users.remove': ['DELETE', '/v1/users/:user_id'],
  'users.reset': ['POST', '/v1/users/:user_id/password'],

  'clients.list': ['GET', '/v1/clients'],
  'clients.create': ['POST', '/v1/clients'],
  'clients.show': ['GET', '/v1/clients/:client_id'],
  'clients.update': ['PATCH', '/v1/clients/:client_id'],
  'clients.remove': ['DELETE', '/v1/clients/:client_id'],

  'api-keys.list': ['GET', '/v1/api-keys'],
  'api-keys.create': ['POST', '/v1/api-keys'],
  'api-keys.revoke': ['DELETE', '/v1/api-keys/:key_id'],

  'memberships.list': ['GET', '/v1/memberships'],
  'memberships.create': ['POST', '/v1/memberships'],
  'memberships.revoke': ['DELETE', '/v1/memberships/:membership_id'],

  'uploads.create': ['POST', '/v1/uploads'],
  'uploads.list': ['GET', '/v1/uploads'],
  'uploads.show': ['GET', '/v1/uploads/:upload_id'],
  'uploads.original': ['GET', '/v1/uploads/:upload_id/original'],
  'uploads.reading': ['GET', '/v1/uploads/:upload_id/reading'],
  'uploads.override': ['PUT', '/v1/uploads/:upload_id/reading'],
  'uploads.mapping': ['GET', '/v1/uploads/:upload_id/mapping'],
  'uploads.map': ['PUT', '/v1/uploads/:upload_id/mapping'],
  'mappings.list': ['GET', '/v1/mappings'],

  'runs.list': ['GET', '/v1/runs'],
  'runs.bulk': ['POST', '/v1/runs/bulk'],
  'runs.show': ['GET', '/v1/runs/:run_id'],
  'runs.events': ['GET', '/v1/runs/:run_id/events'],
  'runs.attempts': ['GET', '/v1/runs/:run_id/attempts'],
  'runs.hold': ['POST', '/v1/runs/:run_id/hold'],
  'runs.resume': ['POST', '/v1/runs/:run_id/resume'],
  'runs.cancel': ['POST', '/v1/runs/:run_id/cancel'],
  'runs.retry': ['POST', '/v1/runs/:run_id/retry'],
  'runs.requeue': ['POST', '/v1/runs/:run_id/requeue'],
  'runs.verify': ['POST', '/v1/runs/:run_id/verify'],
  'dead-letters.list': ['GET', '/v1/dead-letters'],

  'rejects.list': ['GET', '/v1/runs/:run_id/rejects'],
  'rejects.clusters': ['GET', '/v1/runs/:run_id/rejects/clusters'],
  'rejects.download': ['GET', '/v1/runs/:run_id/rejects.csv'],
  'rejects.correct': ['PUT', '/v1/runs/:run_id/rejects/:reject_id/correction'],
  'rejects.correct-cluster': ['POST', '/v1/runs/:run_id/rejects/corrections'],
  'rejects.replay': ['POST', '/v1/runs/:run_id/replay'],

  'pipelines.list': ['GET', '/v1/pipelines'],
  'pipelines.pause': ['POST', '/v1/pipelines/:pipeline/pause'],
  'pipelines.resume': ['POST', '/v1/pipelines/:pipeline/resume'],

  'live.stream': ['GET', '/v1/events/stream'],
  'live.run-stream': ['GET', '/v1/runs/:run_id/events/stream'],
  'live.socket': ['GET', '/v1/live'],

  'ads.campaigns': ['GET', '/v1/ads/campaigns'],
  'ads.ad-sets': ['GET', '/v1/ads/ad-sets'],
  'ads.ads': ['GET', '/v1/ads/ads'],
  'ads.daily-metrics': ['GET', '/v1/ads/daily-metrics'],
  'ads.totals': ['GET', '/v1/ads/totals'],
  'ads.passport': ['GET', '/v1/ads/passport'],

  'batches.create': ['POST', '/v1/batches'],
  'batches.list': ['GET', '/v1/batches'],
  'batches.show': ['GET', '/v1/batches/:batch_id'],
  'batches.remove': ['DELETE', '/v1/batches/:batch_id'],
  'batches.mapping': ['GET', '/v1/batches/:batch_id/mapping'],
  'batches.map': ['PUT', '/v1/batches/:batch_id/mapping'],
  'judgments.list': ['GET', '/v1/judgments'],
  'plaintiffs.list': ['GET', '/v1/plaintiffs'],
  'plaintiffs.split': ['POST', '/v1/plaintiffs/:plaintiff_id/split'],
  'plaintiff-reviews.list': ['GET', '/v1/plaintiff-reviews'],
  'plaintiff-reviews.decide': ['POST', '/v1/plaintiff-reviews/:review_id/decision'],

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
  'dead-letters.requeue': ['POST', '/v1/dead-letters/:run_id/requeue'],

  'operate.workers': ['GET', '/v1/workers'],
  'operate.lanes': ['GET', '/v1/lanes'],
  'operate.schedules': ['GET', '/v1/schedules'],
  'operate.audit': ['GET', '/v1/audit'],

  'samples.list': ['GET', '/v1/samples'],
  'samples.run': ['POST', '/v1/samples/:name/run'],
} as const satisfies Record<string, readonly [Method, `/${string}`]>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type OperationId = keyof typeof operations;
