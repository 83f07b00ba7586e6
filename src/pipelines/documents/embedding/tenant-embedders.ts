// The models of a tenant: the active one, by which tokens are counted and vectors are made, and those beside it while the tenant changes to another.
import type { Queryable } from '../../../platform/database.ts';
import type { DocumentContext } from '../document-context.ts';
import { listLiveModels, recordModel } from '../sql/vectors.ts';
import type { Embedder } from './embedder.ts';
import { type Embedders, findEmbedder } from './model-catalogue.ts';

type SomeEmbedders = Pick<Embedders, 'embedder'> & Partial<Embedders>;

export interface TenantEmbedders {
  /** The active one, or the standard one where this installation does not know the active one any more. */
  readonly main: Embedder;
  readonly beside: readonly Embedder[];
}

/** A tenant without a model, or with one that this installation does not know, gets the standard one. */
export async function embeddersOfTenant(
  { run, commit }: DocumentContext,
  embedders: SomeEmbedders,
): Promise<TenantEmbedders> {
  return commit(async (tx) => {
    const known = await readTenantEmbedders(tx, run.tenantId, embedders);
    if (known.isRecorded) return known;
    await recordModel(tx, run.tenantId, embedders.embedder.facts);
    return readTenantEmbedders(tx, run.tenantId, embedders);
  });
}

/** `isRecorded`: the active model is one that this installation knows. Reads only. */
export async function readTenantEmbedders(
  tx: Queryable,
  tenantId: string,
  embedders: SomeEmbedders,
): Promise<TenantEmbedders & { readonly isRecorded: boolean }> {
  const live = await listLiveModels(tx, tenantId);
  const [first] = live;
  const known = live.flatMap(({ modelId }) => findEmbedder(embedders, modelId) ?? []);
  const main = known.find(({ facts }) => facts.modelId === first?.modelId) ?? embedders.embedder;
  return {
    main,
    beside: known.filter((each) => each !== main),
    isRecorded: first?.isActive === true && findEmbedder(embedders, first.modelId) !== undefined,
  };
}
