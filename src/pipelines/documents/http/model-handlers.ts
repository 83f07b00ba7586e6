// /v1/models: which embedding model a tenant's questions are asked with, and the change from one to another.
import { audit } from '../../../access/audit.ts';
import { APP_ROLE } from '../../../access/tenant-session.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { OperationId } from '../../../contract/api/operations.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { becomeRole } from '../../../engine/sql/become-role.ts';
import { type Call, type Handlers, handle } from '../../../http/call.ts';
import { look } from '../../../http/routes/change.ts';
import { type Queryable, withTenant } from '../../../platform/database.ts';
import type { DocumentsDeps } from '../deps.ts';
import type { Embedder, ModelFacts } from '../embedding/embedder.ts';
import { allEmbedders, findEmbedder } from '../embedding/model-catalogue.ts';
import { compareModels } from '../model-swap/compare-models.ts';
import {
  activateModel,
  addModel,
  countServedPassages,
  findPreviousModel,
  listModels,
  lockModels,
  type ModelRow,
  retireModel,
} from '../sql/models.ts';

type Model = AnswerOf<'models.list'>['data'][number];
type AnyCall = Pick<Call<OperationId>, 'app' | 'principal' | 'origin' | 'operation' | 'trail'>;

export function modelHandlers(deps: DocumentsDeps): Handlers {
  const show = async (call: AnyCall, modelId: string): Promise<Model> => {
    const models = await look(call, (db, tenantId) => viewModels(db, tenantId, deps));
    const found = models.find(({ model_id: id }) => id === modelId);
    if (found === undefined) throw new MillraceError('model_unknown', { model: modelId });
    return found;
  };
  const activate = async (call: AnyCall, modelId: string): Promise<Model> => {
    const before = await show(call, modelId);
    if (before.state === 'active') return before;
    if (!before.is_configured)
      throw new MillraceError('model_not_ready', { model: modelId, reason: 'the settings do not name it any more' });
    await inTurn(call, modelId, async (tx, tenantId) => {
      if (!(await activateModel(tx, tenantId, modelId)))
        throw new MillraceError('model_not_ready', { model: modelId, reason: reasonOf(before) });
    });
    return show(call, modelId);
  };
  return {
    ...handle('models.list', async (call) => ({
      data: await look(call, (db, tenantId) => viewModels(db, tenantId, deps)),
    })),
    ...handle('models.add', async (call) => {
      const { model_id: modelId } = call.body;
      const embedder = findEmbedder(deps, modelId);
      if (embedder === undefined) throw new MillraceError('model_unknown', { model: modelId });
      await inTurn(call, modelId, (tx, tenantId) => addModel(tx, tenantId, embedder.facts));
      return show(call, modelId);
    }),
    ...handle('models.compare', async (call) => {
      call.trail.changedNothing();
      const { model_id: modelId, against, questions = [] } = call.body;
      const models = await look(call, (db, tenantId) => viewModels(db, tenantId, deps));
      const other = against ?? models.find(({ state }) => state === 'active')?.model_id ?? modelId;
      const [mine, theirs] = [modelId, other].map((id) => requireUsable(models, deps, id));
      if (mine === undefined || theirs === undefined) throw new MillraceError('model_unknown', { model: modelId });
      const compared = { model: mine, against: theirs };
      return compareModels(call.app.pool, deps.search.index, call.principal.tenantId, compared, questions);
    }),
    ...handle('models.activate', (call) => activate(call, call.body.model_id)),
    ...handle('models.rollback', async (call) => {
      const previous = await look(call, (db, tenantId) => findPreviousModel(db, tenantId));
      if (previous === undefined) throw new MillraceError('model_without_previous', {});
      return activate(call, previous);
    }),
    ...handle('models.retire', async (call) => {
      const { model_id: modelId } = call.body;
      const before = await show(call, modelId);
      if (before.state === 'active') throw new MillraceError('model_is_active', { model: modelId });
      if (before.state === 'retired' || before.state === 'available') return before;
      await inTurn(call, modelId, async (tx, tenantId) => {
        // It became active a moment ago.
        if (!(await retireModel(tx, tenantId, modelId))) throw new MillraceError('model_is_active', { model: modelId });
      });
      return show(call, modelId);
    }),
  };
}

/** A model that has vectors of everything that is served. */
function requireUsable(models: readonly Model[], deps: DocumentsDeps, modelId: string): Embedder {
  const model = models.find(({ model_id: id }) => id === modelId);
  const embedder = findEmbedder(deps, modelId);
  if (model === undefined) throw new MillraceError('model_unknown', { model: modelId });
  if (embedder === undefined)
    throw new MillraceError('model_not_ready', { model: modelId, reason: 'the settings do not name it any more' });
  if (model.state !== 'ready' && model.state !== 'active')
    throw new MillraceError('model_not_ready', { model: modelId, reason: reasonOf(model) });
  return embedder;
}

/** Changes of a tenant's models one after the other, each with its entry in the audit log. */
async function inTurn<T>(
  { app, principal, origin, operation, trail }: AnyCall,
  modelId: string,
  work: (tx: Queryable, tenantId: string) => Promise<T>,
): Promise<T> {
  const { tenantId } = principal;
  const result = await withTenant(app.pool, { tenantId, role: 'documents_api' }, async (tx) => {
    await lockModels(tx, tenantId);
    const done = await work(tx, tenantId);
    await becomeRole(tx, APP_ROLE);
    await audit(tx, principal, origin, { action: operation, target: modelId, data: {} });
    return done;
  });
  trail.committed();
  return result;
}

async function viewModels(db: Queryable, tenantId: string, deps: DocumentsDeps): Promise<Model[]> {
  const rows = await listModels(db, tenantId);
  const served = await countServedPassages(db, tenantId);
  const previous = await findPreviousModel(db, tenantId);
  const known = new Set(rows.map(({ model_id: id }) => id));
  const available = allEmbedders(deps).filter(({ facts }) => !known.has(facts.modelId));
  return [
    ...rows.map((row) => ({
      ...viewOf(row, served),
      is_configured: findEmbedder(deps, row.model_id) !== undefined,
      is_previous: row.model_id === previous,
    })),
    ...available.map(({ facts }) => offered(facts, served)),
  ];
}

function viewOf(row: ModelRow, served: number): Omit<Model, 'is_configured' | 'is_previous'> {
  const isRunning = row.state !== 'retired' && (row.is_due || row.is_building);
  return {
    model_id: row.model_id,
    name: row.name,
    provider: row.provider,
    dims: row.dims,
    max_tokens: row.max_tokens,
    state: row.state,
    served,
    vectors: row.vectors,
    build: {
      is_running: isRunning,
      passages: row.passages,
      embedded: row.embedded,
      reused: row.reused,
      trouble: row.trouble,
      next_try_at: row.next_try_at?.toISOString() ?? null,
    },
    added_at: row.created_at.toISOString(),
    ready_at: row.ready_at?.toISOString() ?? null,
    activated_at: row.activated_at?.toISOString() ?? null,
  };
}

function offered(facts: ModelFacts, served: number): Model {
  return {
    model_id: facts.modelId,
    name: facts.name,
    provider: facts.provider,
    dims: facts.dims,
    max_tokens: facts.maxTokens,
    state: 'available',
    is_configured: true,
    is_previous: false,
    served,
    vectors: 0,
    build: null,
    added_at: null,
    ready_at: null,
    activated_at: null,
  };
}

function reasonOf({ state, served, vectors, build }: Model): string {
  if (state === 'available' || state === 'retired') return 'it was not added';
  const missing = Math.max(0, served - vectors);
  const trouble = build?.trouble ?? null;
  return `${missing} of ${served} passages have no vector of it${trouble === null ? '' : ` (${trouble})`}`;
}
