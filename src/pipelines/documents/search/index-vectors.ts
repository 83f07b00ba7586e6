// Where the server has pgvector, each model of the installation gets an index over its signatures, made while it is small.
import type { Engine } from '../../../engine/engine.ts';
import { createLoop, type Service } from '../../../engine/services/loop.ts';
import { withTenant } from '../../../platform/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { DocumentsDeps } from '../deps.ts';
import { allEmbedders } from '../embedding/model-catalogue.ts';
import { MODELS_ROLE } from '../model-swap/build-vectors.ts';
import { makeIndex, nameOfIndex } from '../sql/find-by-index.ts';

const EVERY_MS = 600_000;

export function createVectorIndexer(engine: Engine, deps: DocumentsDeps, log: Log): Service {
  const told = new Set<string>();
  return createLoop({
    name: 'index of vectors',
    everyMs: EVERY_MS,
    election: engine.election,
    log,
    async tick() {
      for (const { facts } of allEmbedders(deps)) {
        const outcome = await withTenant(engine.pools.control, { tenantId: '', role: MODELS_ROLE }, (tx) =>
          makeIndex(tx, facts.modelId, facts.dims),
        );
        // The rest of the answer is the same for every model.
        if (outcome === 'absent') return undefined;
        if (outcome === 'made') log.info({ model: facts.modelId }, 'an index over the vectors of a model was made');
        if (outcome !== 'large' || told.has(facts.modelId)) continue;
        told.add(facts.modelId);
        log.warn(
          { model: facts.modelId, index: nameOfIndex(facts.modelId) },
          'pgvector is there, but the vectors are many: make the index by hand as docs/search.md says; until then every one is compared',
        );
      }
      return undefined;
    },
  });
}
