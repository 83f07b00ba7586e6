// Vectors of a model for everything a tenant serves, in parts of 64 passages with a checkpoint each, tenants in turn. A loop per model: a
// provider that hangs holds up its own build only. Whatever is served without a vector of a model in use makes that model due, so
// the build also makes up for what a document's run could not do. Killed anywhere, it goes on at its last part; two at once do no part twice.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import type { Engine } from '../../../engine/engine.ts';
import { createLoop, type Service } from '../../../engine/services/loop.ts';
import { type Pool, withTenant } from '../../../platform/database.ts';
import type { Log } from '../../../platform/log.ts';
import { embeddedText } from '../chunking/passages.ts';
import { type DocumentsDeps, PASSAGES_PER_PART } from '../deps.ts';
import { type Embedder, signBits, vectorBytes } from '../embedding/embedder.ts';
import { allEmbedders } from '../embedding/model-catalogue.ts';
import {
  type BuildPlace,
  beginRound,
  deleteRetiredVectors,
  endRound,
  findDueTenant,
  findRetired,
  listMissingPassages,
  listServedVersions,
  type MissingPassage,
  moveBuild,
  noteTrouble,
  type ServedVersion,
  serveVectors,
} from '../sql/model-builds.ts';
import { insertVectors } from '../sql/vectors.ts';
import { lockDocument } from '../sql/versions.ts';

export const MODELS_ROLE = 'documents_models';
const WORKER_ROLE = 'documents_worker';
const EVERY_MS = 2_000;
const IDLE_MS = 30_000;
const VERSIONS_PER_LOOK = 200;
const DELETED_AT_ONCE = 2_000;
const DEFAULT_SHARE = 50;
const TRY_AGAIN = { firstMs: 5_000, maxMs: 300_000 };

export function buildServices(engine: Engine, deps: DocumentsDeps, log: Log): Service[] {
  const pool = engine.pools.control;
  const { election } = engine;
  const builds = allEmbedders(deps).map((embedder) =>
    createLoop({
      name: `vectors of ${embedder.facts.modelId}`,
      everyMs: EVERY_MS,
      idleMs: IDLE_MS,
      election,
      log,
      tick: () => buildPart({ pool, deps, log }, embedder),
    }),
  );
  const cleaner = createLoop({
    name: 'vectors of retired models',
    everyMs: IDLE_MS,
    election,
    log,
    tick: async () => ((await emptyRetired(pool)) ? 0 : undefined),
  });
  return [...builds, cleaner];
}

export interface Builder {
  readonly pool: Pool;
  readonly deps: Pick<DocumentsDeps, 'buildShare' | 'passagesPerPart'>;
  readonly log: Log;
}

/** Returns how long to rest, or nothing when nothing is due. */
export async function buildPart(builder: Builder, embedder: Embedder): Promise<number | undefined> {
  const { pool, deps, log } = builder;
  const { modelId } = embedder.facts;
  const startedAt = performance.now();
  const tenantId = await withTenant(pool, { tenantId: '', role: MODELS_ROLE }, (tx) =>
    findDueTenant(tx, modelId, new Date()),
  );
  if (tenantId === undefined) return undefined;
  try {
    await buildOf(builder, embedder, tenantId);
  } catch (error) {
    const reason = error instanceof MillraceError ? error.message : 'an unexpected fault; see the log';
    log.warn({ tenant_id: tenantId, model: modelId, err: error }, 'vectors of a model could not be made; tried again');
    await withTenant(pool, { tenantId, role: WORKER_ROLE }, (tx) =>
      noteTrouble(tx, tenantId, modelId, reason.slice(0, 500), { now: new Date(), ...TRY_AGAIN }),
    );
  }
  const share = deps.buildShare ?? DEFAULT_SHARE;
  return ((performance.now() - startedAt) * (100 - share)) / share;
}

interface Part {
  readonly from: BuildPlace;
  readonly version: ServedVersion | undefined;
  readonly passages: readonly MissingPassage[];
  /** The last version that was looked at and lacks nothing. */
  readonly passed: string | undefined;
}

async function buildOf({ pool, deps }: Builder, embedder: Embedder, tenantId: string): Promise<void> {
  const { modelId, dims } = embedder.facts;
  const session = { tenantId, role: WORKER_ROLE };
  const limit = deps.passagesPerPart ?? PASSAGES_PER_PART;
  const part = await withTenant(pool, session, async (tx): Promise<Part | undefined> => {
    const from = await beginRound(tx, tenantId, modelId);
    if (from === undefined) return undefined;
    const versions = await listServedVersions(tx, tenantId, modelId, from, VERSIONS_PER_LOOK);
    const version = versions.find(({ missing }) => missing);
    const passed = version === undefined ? versions.at(-1)?.doc_version_id : undefined;
    if (version === undefined) return { from, version, passages: [], passed };
    const isSame = version.doc_version_id === from.version;
    const at = { version: version.doc_version_id, position: isSame ? from.position : 0 };
    return { from, version, passages: await listMissingPassages(tx, tenantId, modelId, at, limit), passed };
  });
  if (part === undefined) return;
  const { from, version, passages, passed } = part;
  if (version === undefined) {
    await withTenant(pool, session, async (tx) => {
      if (passed === undefined) await endRound(tx, tenantId, modelId, from);
      else await moveBuild(tx, tenantId, modelId, from, { version: passed, position: 0 }, { embedded: 0, reused: 0 });
    });
    return;
  }
  const unknown = passages.filter(({ isKnown }) => !isKnown);
  const fresh = [...new Map(unknown.map((each) => [each.hash.toString('hex'), each])).values()];
  const texts = fresh.map(({ headingPath, text }) => embeddedText(version.title, headingPath, text));
  const vectors = await embedder.embed(texts);
  const rows = fresh.map(({ hash }, at) => {
    const vector = vectors[at];
    if (vector?.length !== dims) throw new Error(`a vector without ${dims} dimensions`);
    return { hash, embedding: vectorBytes(vector), bits: signBits(vector) };
  });
  const last = passages.at(-1);
  const isWhole = passages.length < limit || last === undefined;
  const to: BuildPlace = { version: version.doc_version_id, position: isWhole ? 0 : last.position + 1 };
  await withTenant(pool, session, async (tx) => {
    await lockDocument(tx, version.doc_id);
    await insertVectors(tx, tenantId, modelId, rows);
    const isServed = await serveVectors(tx, tenantId, modelId, version.doc_version_id, passages);
    const counts = isServed
      ? { embedded: fresh.length, reused: passages.length - fresh.length }
      : { embedded: 0, reused: 0 };
    if (!(await moveBuild(tx, tenantId, modelId, from, to, counts)))
      throw new Error('another process has built this part');
  });
}

/** Says whether there was something to take away. */
async function emptyRetired(pool: Pool): Promise<boolean> {
  const retired = await withTenant(pool, { tenantId: '', role: MODELS_ROLE }, findRetired);
  if (retired === undefined) return false;
  const { tenantId, modelId } = retired;
  await withTenant(pool, { tenantId, role: WORKER_ROLE }, (tx) =>
    deleteRetiredVectors(tx, tenantId, modelId, DELETED_AT_ONCE),
  );
  return true;
}
