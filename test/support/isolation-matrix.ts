// How each operation could be made to show or touch another tenant's things, one entry per route of the table. An operation without
// an entry does not compile, and the suite fails on it.
import type { OperationId } from '../../src/contract/api/operations.ts';

/** Ids of things of one tenant. The suite makes one set per tenant and one of ids that nobody has. */
export interface Things {
  readonly tenantId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly keyId: string;
  readonly membershipId: string;
  readonly runId: string;
  readonly failedRunId: string;
  readonly waitingRunId: string;
  readonly deadRunId: string;
  readonly rejectId: string;
  readonly connectorId: string;
  readonly sourceId: string;
  readonly syncId: string;
  readonly alertId: string;
  readonly alertRule: string;
  readonly sinkId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly questionId: string;
  readonly documentId: string;
  readonly queryId: string;
  readonly conversationId: string;
  readonly jobId: string;
  readonly itemId: string;
  readonly exportId: string;
  readonly catalogId: string;
}

export type Probe =
  /** Holds nothing of any tenant. */
  | { readonly kind: 'public' }
  /** Speaks of the caller alone. */
  | { readonly kind: 'self'; readonly body?: unknown }
  /** Lists: nothing of another tenant may appear, whatever is asked for. */
  | {
      readonly kind: 'list';
      readonly query?: (foreign: Things) => Record<string, string>;
      readonly params?: Record<string, string>;
    }
  /** Names one thing in the path: another tenant's answers like one that does not exist. */
  | {
      readonly kind: 'path';
      readonly params: (things: Things) => Record<string, string>;
      readonly body?: unknown;
      readonly query?: Record<string, string>;
    }
  /** Names things in the body: another tenant's count as none. */
  | { readonly kind: 'body'; readonly body: (foreign: Things) => unknown; readonly params?: Record<string, string> };

const run = { kind: 'path', params: (things: Things) => ({ run_id: things.runId }) } as const;
const upload = { kind: 'path', params: (things: Things) => ({ upload_id: things.runId }) } as const;

const source = { kind: 'path', params: (things: Things) => ({ source_id: things.sourceId }) } as const;
const connector = { kind: 'path', params: (things: Things) => ({ connector_id: things.connectorId }) } as const;
const sink = { kind: 'path', params: (things: Things) => ({ sink_id: things.sinkId }) } as const;
const alertRule = { kind: 'path', params: (things: Things) => ({ rule: things.alertRule }) } as const;
const endpoint = { kind: 'path', params: (things: Things) => ({ endpoint_id: things.endpointId }) } as const;
const delivery = {
  kind: 'path',
  params: (things: Things) => ({ endpoint_id: things.endpointId, delivery_id: things.deliveryId }),
} as const;

const document = { kind: 'path', params: (things: Things) => ({ doc_id: things.documentId }) } as const;
const documentVersion = {
  kind: 'path',
  params: (things: Things) => ({ doc_id: things.documentId, version: '1' }),
} as const;
const documentPage = {
  kind: 'path',
  params: (things: Things) => ({ doc_id: things.documentId, version: '1', page_no: '1' }),
} as const;

const query = { kind: 'path', params: (things: Things) => ({ query_id: things.queryId }) } as const;
const conversation = {
  kind: 'path',
  params: (things: Things) => ({ conversation_id: things.conversationId }),
} as const;

const job = { kind: 'path', params: (things: Things) => ({ job_id: things.jobId }) } as const;
const item = { kind: 'path', params: (things: Things) => ({ job_id: things.jobId, item_id: things.itemId }) } as const;

export const isolationMatrix: Readonly<Record<OperationId, Probe>> = {
  'system.health': { kind: 'public' },
  'system.ready': { kind: 'public' },
  'system.prometheus': { kind: 'public' },
  'system.openapi': { kind: 'public' },
  'system.docs': { kind: 'public' },
  'system.metrics': { kind: 'list' },
  'auth.login': { kind: 'public' },
  'mcp.message': {
    kind: 'self',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'canary of the other tenant', limit: 50 } },
    },
  },
  'auth.me': { kind: 'self' },
  'auth.logout': { kind: 'self' },
  'auth.password': { kind: 'self', body: { current: 'not this one', new: 'another password' } },
  'users.list': { kind: 'list' },
  'users.create': { kind: 'body', body: (foreign) => ({ email: 'x@y.test', workspace_id: foreign.tenantId }) },
  'users.show': { kind: 'path', params: (things) => ({ user_id: things.userId }) },
  'users.update': { kind: 'path', params: (things) => ({ user_id: things.userId }), body: { disabled: true } },
  'users.remove': { kind: 'path', params: (things) => ({ user_id: things.userId }) },
  'users.reset': { kind: 'path', params: (things) => ({ user_id: things.userId }) },
  'clients.list': { kind: 'list' },
  'clients.create': { kind: 'body', body: (foreign) => ({ name: 'x', workspace_id: foreign.tenantId }) },
  'clients.show': { kind: 'path', params: (things) => ({ client_id: things.clientId }) },
  'clients.update': {
    kind: 'path',
    params: (things) => ({ client_id: things.clientId }),
    body: { name: 'taken over' },
  },
  'clients.remove': { kind: 'path', params: (things) => ({ client_id: things.clientId }) },
  'api-keys.list': { kind: 'list' },
  'api-keys.create': {
    kind: 'body',
    body: (foreign) => ({ name: 'x', scopes: ['data:read'], tenant_id: foreign.tenantId }),
  },
  'api-keys.revoke': { kind: 'path', params: (things) => ({ key_id: things.keyId }) },
  'memberships.list': { kind: 'list' },
  'memberships.create': {
    kind: 'body',
    body: (foreign) => ({ email: 'x@y.test', reason: 'because', workspace_id: foreign.tenantId }),
  },
  'memberships.revoke': { kind: 'path', params: (things) => ({ membership_id: things.membershipId }) },
  'uploads.create': {
    kind: 'body',
    body: (foreign) => ({ platform: 'meta', rows: [{}], workspace_id: foreign.tenantId }),
  },
  'uploads.list': { kind: 'list' },
  'uploads.show': upload,
  'uploads.original': upload,
  'uploads.reading': upload,
  'uploads.override': { ...upload, body: {} },
  'uploads.mapping': upload,
  'uploads.map': { ...upload, body: { columns: [] } },
  'uploads.reread': { ...upload, body: {} },
  'mappings.list': { kind: 'list' },
  'runs.list': { kind: 'list', query: (foreign) => ({ q: foreign.runId }) },
  'runs.start': {
    kind: 'body',
    body: (foreign) => ({ pipeline: 'steady', input: {}, workspace_id: foreign.tenantId }),
  },
  'runs.bulk': {
    kind: 'body',
    body: (foreign) => ({ action: 'cancel', filter: { run_ids: [foreign.waitingRunId] }, preview: true }),
  },
  'runs.show': run,
  'runs.events': run,
  'runs.attempts': run,
  'runs.rows': run,
  'runs.reading': run,
  'runs.override': { ...run, body: {} },
  'runs.mapping': run,
  'runs.map': { ...run, body: { columns: [] } },
  'runs.hold': { kind: 'path', params: (things) => ({ run_id: things.waitingRunId }), body: {} },
  'runs.resume': { kind: 'path', params: (things) => ({ run_id: things.waitingRunId }), body: {} },
  'runs.cancel': { kind: 'path', params: (things) => ({ run_id: things.waitingRunId }), body: {} },
  'runs.retry': { kind: 'path', params: (things) => ({ run_id: things.failedRunId }), body: {} },
  'runs.requeue': { kind: 'path', params: (things) => ({ run_id: things.deadRunId }), body: { ticket: 'T-1' } },
  'runs.undo': { ...run, body: { dry_run: true } },
  'runs.verify': run,
  'dead-letters.list': { kind: 'list' },
  'questions.list': { kind: 'list' },
  'questions.answer': {
    kind: 'path',
    params: (things) => ({ question_id: things.questionId }),
    body: { choice: 'refuse' },
  },
  'ingestion-runs.list': {
    kind: 'list',
    query: () => ({ page: '1', limit: '100', status: 'queued,running,succeeded,failed' }),
  },
  'ingestion-runs.show': run,
  'ingestion-runs.retry': { kind: 'path', params: (things) => ({ run_id: things.failedRunId }), body: {} },
  'rejects.list': run,
  'rejects.clusters': run,
  'rejects.download': run,
  'rejects.correct': {
    kind: 'path',
    params: (things) => ({ run_id: things.runId, reject_id: things.rejectId }),
    body: { cells: { spend: '1' } },
  },
  'rejects.correct-cluster': { ...run, body: { cluster: 'spend', fix: { kind: 'trim', column: 'spend' } } },
  'rejects.replay': { ...run, body: {} },
  'pipelines.list': { kind: 'list' },
  'pipelines.pause': { kind: 'list', params: { pipeline: 'steady' } },
  'pipelines.resume': { kind: 'list', params: { pipeline: 'steady' } },
  // Streams do not end; src/http/live.db.test.ts follows them over sockets with two tenants.
  'live.stream': { kind: 'public' },
  'live.run-stream': run,
  'live.socket': { kind: 'list' },
  'ads.campaigns': { kind: 'list', query: (foreign) => ({ client_id: foreign.clientId, run_id: foreign.runId }) },
  'ads.ad-sets': { kind: 'list', query: (foreign) => ({ client_id: foreign.clientId, run_id: foreign.runId }) },
  'ads.ads': { kind: 'list', query: (foreign) => ({ client_id: foreign.clientId, run_id: foreign.runId }) },
  'ads.daily-metrics': { kind: 'list', query: (foreign) => ({ client_id: foreign.clientId, run_id: foreign.runId }) },
  'ads.totals': { kind: 'list', query: (foreign) => ({ client_id: foreign.clientId, run_id: foreign.runId }) },
  'ads.provenance': { kind: 'list', query: () => ({ metric_id: '1' }) },
  'ads.passport': { kind: 'list', query: () => ({ metric_id: '1' }) },
  'batches.create': { kind: 'body', body: (foreign) => ({ workspace_id: foreign.tenantId }) },
  'batches.checks': { kind: 'list' },
  'batches.list': { kind: 'list' },
  'batches.show': { kind: 'path', params: (things) => ({ batch_id: things.runId }) },
  'batches.remove': { kind: 'path', params: (things) => ({ batch_id: things.runId }) },
  'batches.reading': { kind: 'path', params: (things) => ({ batch_id: things.runId }) },
  'batches.override': { kind: 'path', params: (things) => ({ batch_id: things.runId }), body: {} },
  'batches.mapping': { kind: 'path', params: (things) => ({ batch_id: things.runId }) },
  'batches.map': { kind: 'path', params: (things) => ({ batch_id: things.runId }), body: { columns: [] } },
  'judgments.list': { kind: 'list', query: (foreign) => ({ run_id: foreign.runId }) },
  'plaintiffs.list': { kind: 'list' },
  'plaintiffs.split': {
    kind: 'path',
    params: (things) => ({ plaintiff_id: things.rejectId }),
    body: { judgment_ids: [1] },
  },
  'plaintiff-reviews.list': { kind: 'list' },
  'plaintiff-reviews.decide': {
    kind: 'path',
    params: (things) => ({ review_id: things.rejectId }),
    body: { decision: 'accept' },
  },
  'sources.list': { kind: 'list' },
  'sources.create': { kind: 'body', body: (foreign) => ({ name: 'x', workspace_id: foreign.tenantId }) },
  'sources.preview': {
    kind: 'body',
    body: (foreign) => ({ source_id: foreign.sourceId, workspace_id: foreign.tenantId }),
  },
  'sources.show': source,
  'sources.update': { ...source, body: { name: 'taken over' } },
  'sources.remove': source,
  'sources.sync': source,
  'sources.objects': source,
  'sources.lines': { kind: 'path', params: (things) => ({ source_id: things.sourceId, sync_id: things.sourceId }) },
  'connectors.list': { kind: 'list' },
  'connectors.available': { kind: 'list' },
  'connectors.create': { kind: 'body', body: (foreign) => ({ name: 'x', workspace_id: foreign.tenantId }) },
  'connectors.show': connector,
  'connectors.update': { ...connector, body: { name: 'taken over' } },
  'connectors.remove': connector,
  'syncs.trigger': {
    kind: 'body',
    body: (foreign) => ({ connector_id: foreign.connectorId, workspace_id: foreign.tenantId }),
  },
  'syncs.list': { kind: 'list', query: (foreign) => ({ connector_id: foreign.connectorId }) },
  'syncs.figures': { kind: 'list' },
  'syncs.show': { kind: 'path', params: (things) => ({ job_id: things.syncId }) },
  'syncs.cancel': { kind: 'path', params: (things) => ({ job_id: things.syncId }) },
  'dead-letters.acknowledge': {
    kind: 'path',
    params: (things) => ({ run_id: things.deadRunId }),
    body: { reason: 'seen' },
  },
  'dead-letters.requeue': { kind: 'path', params: (things) => ({ run_id: things.deadRunId }), body: { ticket: 'T-1' } },
  'jobs.create': { kind: 'body', body: (foreign) => ({ workspace_id: foreign.tenantId }) },
  'ingestion.scan': {
    kind: 'body',
    body: (foreign) => ({ source_id: foreign.sourceId, workspace_id: foreign.tenantId }),
  },
  'jobs.try': { kind: 'body', body: (foreign) => ({ workspace_id: foreign.tenantId }) },
  'jobs.list': { kind: 'list' },
  'jobs.show': job,
  'jobs.remove': job,
  'jobs.items': job,
  'jobs.item': item,
  'jobs.correct': { ...item, body: { cells: { Title: 'taken over' } } },
  'jobs.kickoff': { ...job, query: { durationMs: '50' } },
  'jobs.pause': job,
  'jobs.resume': job,
  'jobs.reprocess': { ...job, body: { statuses: ['DONE'] } },
  'jobs.export': { ...job, query: { format: 'csv' } },
  'jobs.exported': {
    kind: 'path',
    params: (things: Things) => ({ job_id: things.jobId, export_id: things.exportId }),
  },
  'pending.list': { kind: 'list', query: (foreign) => ({ jobId: foreign.jobId }) },
  'catalogs.create': { kind: 'self' },
  'catalogs.list': { kind: 'list' },
  'catalogs.remove': { kind: 'path', params: (things: Things) => ({ catalog_id: things.catalogId }) },
  'documents.ingest': { kind: 'body', body: (foreign) => ({ workspace_id: foreign.tenantId }) },
  'documents.list': { kind: 'list', query: () => ({ status: 'all' }) },
  'documents.orphans': { kind: 'list' },
  'documents.show': document,
  'documents.update': { ...document, body: { title: 'taken over' } },
  'documents.purge': document,
  'documents.deactivate': { ...document, body: {} },
  'documents.reactivate': { ...document, body: {} },
  'documents.pages': documentVersion,
  'documents.page': documentPage,
  'documents.page-image': documentPage,
  'documents.page-retry': { ...documentPage, body: { how: 'exclude' } },
  'documents.chunks': documentVersion,
  'documents.changes': documentVersion,
  'documents.markdown': documentVersion,
  'documents.original': documentVersion,
  // Words of the other tenant's document, in another spelling than the mark that must not come back.
  'search.run': { kind: 'self', body: { query: 'canary of the other tenant', limit: 100 } },
  'search.ask': { kind: 'self', body: { question: 'Which canary has the other tenant?' } },
  'queries.list': { kind: 'list' },
  'queries.unanswered': { kind: 'list' },
  'queries.show': query,
  'queries.feedback': { ...query, body: { rating: 'up' } },
  'conversations.list': { kind: 'list' },
  'conversations.create': { kind: 'body', body: (foreign) => ({ workspace_id: foreign.tenantId }) },
  'conversations.show': conversation,
  'conversations.remove': conversation,
  'models.list': { kind: 'list' },
  'models.add': { kind: 'body', body: (foreign) => ({ model_id: 'x', workspace_id: foreign.tenantId }) },
  'models.compare': { kind: 'body', body: (foreign) => ({ model_id: 'x', workspace_id: foreign.tenantId }) },
  'models.activate': { kind: 'body', body: (foreign) => ({ model_id: 'x', workspace_id: foreign.tenantId }) },
  'models.rollback': { kind: 'body', body: (foreign) => ({ workspace_id: foreign.tenantId }) },
  'models.retire': { kind: 'body', body: (foreign) => ({ model_id: 'x', workspace_id: foreign.tenantId }) },
  'operate.workers': { kind: 'list' },
  'operate.lanes': { kind: 'list' },
  'operate.schedules': { kind: 'list' },
  'operate.audit': { kind: 'list', query: (foreign) => ({ actor: foreign.userId }) },
  'webhooks.list': { kind: 'list' },
  'webhooks.create': {
    kind: 'body',
    body: (foreign) => ({ url: 'https://example.com/hook', workspace_id: foreign.tenantId }),
  },
  'webhooks.show': endpoint,
  'webhooks.update': { ...endpoint, body: { description: 'taken over' } },
  'webhooks.remove': endpoint,
  'webhooks.rotate': { ...endpoint, body: {} },
  'webhooks.test': endpoint,
  'webhooks.enable': endpoint,
  'webhooks.disable': endpoint,
  'webhooks.recover': { ...endpoint, body: { since: '2020-01-01T00:00:00Z' } },
  'deliveries.list': endpoint,
  'deliveries.show': delivery,
  'deliveries.resend': delivery,
  'alerts.list': { kind: 'list', query: (foreign) => ({ run_id: foreign.runId, rule: foreign.alertRule }) },
  'alerts.show': { kind: 'path', params: (things) => ({ alert_id: things.alertId }) },
  'alerts.acknowledge': { kind: 'path', params: (things) => ({ alert_id: things.alertId }) },
  'alert-rules.list': { kind: 'list' },
  'alert-rules.create': { kind: 'body', body: (foreign) => ({ name: 'x', workspace_id: foreign.tenantId }) },
  'alert-rules.update': { ...alertRule, body: { enabled: false } },
  'alert-rules.remove': alertRule,
  'alert-sinks.list': { kind: 'list' },
  'alert-sinks.create': { kind: 'body', body: (foreign) => ({ name: 'x', workspace_id: foreign.tenantId }) },
  'alert-sinks.show': sink,
  'alert-sinks.update': { ...sink, body: { name: 'taken over' } },
  'alert-sinks.remove': sink,
  'alert-sinks.test': sink,
  'alert-sinks.sends': sink,
  'samples.list': { kind: 'list' },
  'samples.run': { kind: 'list', params: { name: 'none' } },
};
