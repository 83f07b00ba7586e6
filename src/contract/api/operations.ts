// Every operation of the HTTP API with its method and path, and nothing else: the browser's client imports this file at run time,
// so it must stay free of zod. routes.ts gives each operation its schemas; a name missing there does not compile.
import { pipelineOperations } from '../pipelines/all.ts';

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
  'uploads.reread': ['POST', '/v1/uploads/:upload_id/reread'],
  'mappings.list': ['GET', '/v1/mappings'],

  'runs.list': ['GET', '/v1/runs'],
  'runs.start': ['POST', '/v1/runs'],
  'runs.bulk': ['POST', '/v1/runs/bulk'],
  'runs.show': ['GET', '/v1/runs/:run_id'],
  'runs.events': ['GET', '/v1/runs/:run_id/events'],
  'runs.attempts': ['GET', '/v1/runs/:run_id/attempts'],
  'runs.rows': ['GET', '/v1/runs/:run_id/rows'],
  'questions.list': ['GET', '/v1/questions'],
  'questions.answer': ['POST', '/v1/questions/:question_id/answer'],
  'runs.hold': ['POST', '/v1/runs/:run_id/hold'],
  'runs.resume': ['POST', '/v1/runs/:run_id/resume'],
  'runs.cancel': ['POST', '/v1/runs/:run_id/cancel'],
  'runs.retry': ['POST', '/v1/runs/:run_id/retry'],
  'runs.requeue': ['POST', '/v1/runs/:run_id/requeue'],
  'runs.verify': ['POST', '/v1/runs/:run_id/verify'],
  'dead-letters.list': ['GET', '/v1/dead-letters'],
  'ingestion-runs.list': ['GET', '/v1/ingestion-runs'],
  'ingestion-runs.show': ['GET', '/v1/ingestion-runs/:run_id'],
  'ingestion-runs.retry': ['POST', '/v1/ingestion-runs/:run_id/retry'],

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

  ...pipelineOperations,

  'dead-letters.requeue': ['POST', '/v1/dead-letters/:run_id/requeue'],

  'operate.workers': ['GET', '/v1/workers'],
  'operate.lanes': ['GET', '/v1/lanes'],
  'operate.schedules': ['GET', '/v1/schedules'],
  'operate.audit': ['GET', '/v1/audit'],

  'webhooks.list': ['GET', '/v1/webhooks'],
  'webhooks.create': ['POST', '/v1/webhooks'],
  'webhooks.show': ['GET', '/v1/webhooks/:endpoint_id'],
  'webhooks.update': ['PATCH', '/v1/webhooks/:endpoint_id'],
  'webhooks.remove': ['DELETE', '/v1/webhooks/:endpoint_id'],
  'webhooks.rotate': ['POST', '/v1/webhooks/:endpoint_id/secret'],
  'webhooks.test': ['POST', '/v1/webhooks/:endpoint_id/test'],
  'webhooks.enable': ['POST', '/v1/webhooks/:endpoint_id/enable'],
  'webhooks.disable': ['POST', '/v1/webhooks/:endpoint_id/disable'],
  'webhooks.recover': ['POST', '/v1/webhooks/:endpoint_id/recover'],
  'deliveries.list': ['GET', '/v1/webhooks/:endpoint_id/deliveries'],
  'deliveries.show': ['GET', '/v1/webhooks/:endpoint_id/deliveries/:delivery_id'],
  'deliveries.resend': ['POST', '/v1/webhooks/:endpoint_id/deliveries/:delivery_id/resend'],

  'alerts.list': ['GET', '/v1/alerts'],
  'alerts.show': ['GET', '/v1/alerts/:alert_id'],
  'alerts.acknowledge': ['POST', '/v1/alerts/:alert_id/acknowledge'],
  'alert-rules.list': ['GET', '/v1/alert-rules'],
  'alert-rules.create': ['POST', '/v1/alert-rules'],
  'alert-rules.update': ['PATCH', '/v1/alert-rules/:rule'],
  'alert-rules.remove': ['DELETE', '/v1/alert-rules/:rule'],
  'alert-sinks.list': ['GET', '/v1/alert-sinks'],
  'alert-sinks.create': ['POST', '/v1/alert-sinks'],
  'alert-sinks.show': ['GET', '/v1/alert-sinks/:sink_id'],
  'alert-sinks.update': ['PATCH', '/v1/alert-sinks/:sink_id'],
  'alert-sinks.remove': ['DELETE', '/v1/alert-sinks/:sink_id'],
  'alert-sinks.test': ['POST', '/v1/alert-sinks/:sink_id/test'],
  'alert-sinks.sends': ['GET', '/v1/alert-sinks/:sink_id/sends'],

  'samples.list': ['GET', '/v1/samples'],
  'samples.run': ['POST', '/v1/samples/:name/run'],
} as const satisfies Record<string, readonly [Method, `/${string}`]>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type OperationId = keyof typeof operations;
