// Statements of documents: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import { byStage, type PlanCase, byRequest as request } from '../../../test/plans/plan-case.ts';
import { testPlans } from '../../../test/plans/plans.ts';
import { idOf, type Seed, type World } from '../../../test/plans/world.ts';
import { uuidv7 } from '../../platform/ids.ts';
import {
  addFile,
  findTombstone,
  findVersionOf,
  getOrCreateDocument,
  liftTombstones,
  readServed,
} from './sql/accept-document.ts';
import {
  deactivateDocument,
  insertTombstone,
  observe,
  purgeDocument,
  reactivateVersion,
  updateDocument,
} from './sql/change-documents.ts';
import { deleteChunks, insertChunks, insertPassages, listChunkTexts, listPassages } from './sql/chunks.ts';
import { listAskedQuestions, listProbeChunks, readChunkPlaces } from './sql/compare-models.ts';
import {
  deleteConversation,
  findConversation,
  insertConversation,
  listConversations,
  listTurns,
  touchConversation,
} from './sql/conversations.ts';
import { countBeingRead } from './sql/count-being-read.ts';
import { countChunks } from './sql/count-chunks.ts';
import { deleteOldQueries, deleteQueries } from './sql/delete-old-queries.ts';
import {
  addDeliveries,
  clearDeliveries,
  DELIVERY_ROLE,
  endDelivery,
  listOldDeliveries,
  postponeDelivery,
  readDeliverySigns,
  takeDeliveries,
} from './sql/deliveries.ts';
import { eraseQuotes, holdQuoted, noteQuoted } from './sql/erase-quotes.ts';
import { expireBlobs } from './sql/expire-blobs.ts';
import { findByBits, readChunkVectors } from './sql/find-by-bits.ts';
import { findPhrase } from './sql/find-phrase.ts';
import { deleteHalfBuilt, listHalfBuilt } from './sql/half-built.ts';
import { keepBlobUntil } from './sql/keep-blob.ts';
import {
  BEFORE_ALL,
  beginRound,
  deleteRetiredVectors,
  endRound,
  findDueTenant,
  findRetired,
  listMissingPassages,
  listServedVersions,
  moveBuild,
  noteTrouble,
  serveVectors,
} from './sql/model-builds.ts';
import {
  activateModel,
  addModel,
  countServedPassages,
  findPreviousModel,
  listModels,
  retireModel,
} from './sql/models.ts';
import { countFates, insertPages, listPages, selectPages } from './sql/pages.ts';
import { findQuery, listQueries, listUnanswered, rateQuery } from './sql/queries.ts';
import { findLexicalCandidates, scoreChunks } from './sql/rank-lexical.ts';
import {
  compareVersions,
  countDocuments,
  findByUri,
  findDocument,
  findLiveRun,
  findNewestRun,
  findVersionOfRun,
  listChanges,
  listChunks,
  listDocuments,
  listOrphans,
  listVersions,
} from './sql/read-documents.ts';
import { keepMatching, readActiveModel, readFound } from './sql/read-found.ts';
import { readPagesOf } from './sql/read-pages-of.ts';
import { countPassing, countTerms, listTermsFrom, readLexemes, readSearchable } from './sql/read-searched.ts';
import { noFilter, type SearchFilter } from './sql/search-filter.ts';
import { insertTerms } from './sql/terms.ts';
import { insertVectors, knownHashes, listLiveModels, recordModel, recordTexts } from './sql/vectors.ts';
import {
  deactivateOthers,
  deleteVersionOfRun,
  finishVersion,
  insertVersion,
  observeServed,
  readStanding,
  readVersionEnd,
  serveVersion,
} from './sql/versions.ts';

/** Version i is the only one of document i; half of all pages and chunks are of version 0, few of version 1. */
const version = { doc_version_id: idOf('doc_version_id', 'case when i <= 40 then 1 when i % 2 = 0 then 0 else i end') };
const ofVersion = {
  ...version,
  tenant_id: `case when i <= 40 or i % 2 = 0 then ${idOf('tenant_id', '0')} else tenant end`,
};

/** Few vectors are of a model that was retired. */
const modelOf = `case when i % 100 = 0 then 'retired' else 'model' end`;

const seeds: Seed[] = [
  {
    table: 'public.documents',
    columns: { source_uri: `'file:' || i`, title: `'a title ' || i`, source_type: `'pdf'`, created_at: 'plan.at(i)' },
  },
  {
    table: 'public.document_versions',
    columns: {
      version_no: '1',
      content_hash: `'hash ' || i`,
      is_active: 'i % 5 > 0',
      blob_id: idOf('blob_id', 'i'),
      unit: `'page'`,
      created_at: 'plan.at(i)',
      ready_at: 'case when i % 50 > 2 then plan.at(i) end',
    },
  },
  { table: 'public.document_pages', columns: { ...ofVersion, page_no: 'i + 1', fate: `'text'` } },
  {
    table: 'public.chunks',
    columns: { ...ofVersion, chunk_no: 'i', page_from: 'i', page_to: 'i + 1', text: `'text ' || i` },
  },
  { table: 'public.chunk_passages', columns: { ...ofVersion, passage_no: '0' } },
  { table: 'public.chunk_fts', columns: ofVersion },
  { table: 'public.chunk_embeddings', columns: { ...ofVersion, model_id: modelOf, passage_no: '0' } },
  { table: 'public.chunk_terms', columns: { ...ofVersion, term: `'term ' || i` } },
  { table: 'public.vector_ledger', columns: { model_id: modelOf } },
  { table: 'public.document_tombstones', columns: { source_uri: `'file:' || i`, kind: `'deactivated'` } },
  {
    table: 'public.embedding_models',
    columns: {
      tenant_id: idOf('tenant_id', 'i / 3'),
      model_id: `(array['model', 'ready', 'retired'])[i % 3 + 1]`,
      state: `(array['active', 'ready', 'retired'])[i % 3 + 1]`,
      is_due: 'i % 30 = 0 or i % 30 = 2',
      part_at: 'plan.at(i)',
      provider: `'embedded'`,
    },
  },
];

const doc = (w: World) => w.id('doc_id', 1);
const few = (w: World) => w.id('doc_version_id', 1);
const many = (w: World) => w.id('doc_version_id', 0);
const chunk = (w: World) => w.id('chunk_id', 1);
const filter = (w: World) => ({
  tenantId: w.ours,
  status: 'all' as const,
  search: null,
  tags: null,
  beforeId: null,
  offset: 0,
  limit: 20,
});
const state = (w: World) =>
  ({
    versionId: few(w),
    pages: 1,
    fates: { text: 1, ocr: 0, empty: 0, rejected: 0 },
    chunks: 1,
    passages: 1,
    tokens: 1,
    language: null,
    config: 'simple',
    notes: [],
  }) as never;
const whole = { readsAll: 'all of one version' };

const api = (call: PlanCase['call'], more = {}) => byStage('documents_api', call, more);
const worker = (call: PlanCase['call'], more = {}) => byStage('documents_worker', call, more);
const delivery = (call: PlanCase['call'], more = {}) => byStage(DELIVERY_ROLE, call, more);
const purge = (call: PlanCase['call'], more = {}) => byStage('documents_purge', call, more);

const changing: PlanCase[] = [
  api((db, w) =>
    getOrCreateDocument(db, {
      docId: uuidv7(),
      tenantId: w.ours,
      sourceType: 'pdf',
      sourceUri: 'file:1',
      title: 't',
      renames: true,
      tags: null,
    }),
  ),
  api((db, w) => readServed(db, w.ours, doc(w))),
  api((db, w) => findTombstone(db, w.ours, 'file:1')),
  api((db, w) => liftTombstones(db, w.ours, 'file:1', 'somebody')),
  api((db, w) => findVersionOf(db, w.ours, doc(w), 'hash 1')),
  api((db, w) => updateDocument(db, w.ours, doc(w), { title: 'new', tags: null })),
  api((db, w) => observe(db, w.ours, doc(w))),
  api((db, w) => deactivateDocument(db, w.ours, doc(w))),
  api((db, w) =>
    insertTombstone(db, {
      tombstoneId: uuidv7(),
      tenantId: w.ours,
      docId: doc(w),
      sourceUri: 'file:1',
      kind: 'deactivated',
      sourceSeq: 1,
      by: 'somebody',
      reason: null,
    }),
  ),
  api((db, w) => reactivateVersion(db, few(w))),
  purge((db, w) => purgeDocument(db, w.ours, doc(w))),
  purge((db, w) => eraseQuotes(db, w.ours, doc(w))),
  request((db, w) => holdQuoted(db, w.ours, [doc(w)])),
  request((db, w) => noteQuoted(db, w.ours, w.id('query_id', 41), [doc(w)])),
  api((db, w) => addFile(db, w.ours, doc(w), uuidv7())),
  purge((db, w) => expireBlobs(db, [w.id('blob_id', 41)])),
  delivery((db, w) => addDeliveries(db, [{ runId: w.run('documents', 'small'), tenantId: w.ours }])),
  delivery((db) => takeDeliveries(db, 20, 1_000)),
  delivery((db) => clearDeliveries(db), { readsAll: 'once, after a change of INGEST_MODE' }),
  delivery((db, w) => endDelivery(db, w.id('run_id', 50))),
  delivery((db, w) => postponeDelivery(db, { run_id: w.id('run_id', 50), tenant_id: w.ours, tries: 1 }, 10, null)),
  delivery((db) => listOldDeliveries(db, 3_600, 20)),
  delivery((db) => readDeliverySigns(db, 100)),
  byStage('documents_cleanup', (db) => listHalfBuilt(db, 1, 20), {
    readsAll: 'what failed runs left, until it is taken away',
  }),
  byStage('documents_cleanup', (db, w) => deleteHalfBuilt(db, w.id('run_id', 50))),
  worker((db, w) => keepBlobUntil(db, w.id('blob_id', 41), 30)),
];

const building: PlanCase[] = [
  worker((db, w) =>
    insertVersion(db, {
      versionId: uuidv7(),
      tenantId: w.ours,
      docId: doc(w),
      runId: uuidv7(),
      blobId: null,
      contentHash: 'new',
      sourceSeq: 1,
      sourceType: 'pdf',
      unit: 'page',
    }),
  ),
  worker((db, w) => readStanding(db, w.ours, doc(w))),
  worker((db, w) =>
    finishVersion(db, w.ours, state(w), {
      grade: 'A' as never,
      shares: {} as never,
      modelId: 'model',
      title: 'Plans',
      artifactUri: 'a',
    }),
  ),
  worker((db, w) => deactivateOthers(db, w.ours, doc(w), uuidv7())),
  worker((db, w) => serveVersion(db, w.ours, few(w), 'model')),
  worker((db, w) => observeServed(db, w.ours, doc(w), 7)),
  worker((db, w) => deleteVersionOfRun(db, w.ours, w.id('run_id', 50))),
  worker((db, w) => readVersionEnd(db, w.ours, few(w))),
  worker((db, w) =>
    insertPages(db, w.ours, few(w), [
      {
        pageNo: 900_000,
        fate: 'text',
        text: 'x',
        blocks: [],
        charStart: 0,
        charEnd: 1,
        garbledShare: 0,
        tables: 0,
        tablesLost: 0,
      } as never,
    ]),
  ),
  worker((db, w) => selectPages(db, w.ours, many(w), 41, 20)),
  worker((db, w) =>
    insertChunks(db, w.ours, { versionId: few(w), docId: doc(w) }, [
      {
        chunkId: uuidv7(),
        chunkNo: 900_000,
        pageFrom: 1,
        pageTo: 1,
        text: 'x',
        tokens: 1,
        headingPath: [],
        boxes: [],
        parts: [],
      } as never,
    ]),
  ),
  worker((db, w) =>
    insertPassages(db, w.ours, few(w), [
      { chunkId: chunk(w), passageNo: 7, pageNo: 1, start: 0, end: 1, tokens: 1, hash: Buffer.alloc(4) } as never,
    ]),
  ),
  worker((db, w) => deleteChunks(db, w.ours, few(w))),
  worker((db, w) => listPassages(db, w.ours, many(w), 42_000, 20)),
  worker((db, w) => listChunkTexts(db, w.ours, many(w), 42, 20)),
  worker((db, w) =>
    insertTerms(db, { tenantId: w.ours, versionId: few(w), config: 'simple' }, [
      { chunkId: chunk(w), title: 't', headings: 'h', text: 'x' },
    ]),
  ),
  worker((db, w) =>
    recordModel(db, w.ours, { modelId: 'other', name: 'n', provider: 'embedded', dims: 1, maxTokens: 1 } as never),
  ),
  worker((db, w) => knownHashes(db, w.ours, 'model', [Buffer.alloc(4)])),
  worker((db, w) => recordTexts(db, w.ours, doc(w), [Buffer.alloc(4)])),
  worker((db, w) =>
    insertVectors(db, w.ours, 'model', [{ hash: Buffer.alloc(4), embedding: Buffer.alloc(4), bits: '1010' }]),
  ),
];

const reading: PlanCase[] = [
  request((db, w) => listDocuments(db, filter(w))),
  request((db, w) => countDocuments(db, filter(w)), { readsAll: 'counts the documents of one tenant' }),
  request((db, w) => listOrphans(db, w.ours, null, 20)),
  request((db, w) => findDocument(db, w.ours, doc(w))),
  request((db, w) => findByUri(db, w.ours, 'file:1')),
  request((db, w) => listVersions(db, w.ours, doc(w))),
  request((db, w) => findVersionOfRun(db, w.ours, w.id('run_id', 41))),
  request((db, w) => compareVersions(db, w.ours, few(w), few(w))),
  request((db, w) => compareVersions(db, w.ours, many(w), few(w)), whole),
  request((db, w) => listChanges(db, { tenantId: w.ours, newer: few(w), older: few(w) }, 0, 20)),
  request((db, w) => listChanges(db, { tenantId: w.ours, newer: many(w), older: few(w) }, 0, 20), whole),
  request((db, w) => findLiveRun(db, w.ours, doc(w))),
  request((db, w) => findNewestRun(db, w.ours, doc(w))),
  request((db, w) => listChunks(db, { tenantId: w.ours, versionId: many(w), page: null }, 42, 20)),
  request((db, w) => listPages(db, { tenantId: w.ours, versionId: many(w) }, { fates: null, after: 41, limit: 20 })),
  request((db, w) => countFates(db, w.ours, few(w))),
  request((db, w) => countFates(db, w.ours, many(w)), whole),
  request((db, w) => countChunks(db, w.ours, few(w))),
  request((db, w) => countChunks(db, w.ours, many(w)), whole),
];

const conversation = (w: World) => w.id('conversation_id', 41);
const model = (w: World) => ({ tenantId: w.ours, modelId: 'model' });
const terms = [{ term: 'term 42', idf: 1 }];
const lengths = { average: 10, k1: 1, b: 1, headWeight: 1 };
const filters = [noFilter, { ...noFilter, tags: ['a'] }];
const ofServed = { readsAll: 'all that is served of one tenant: a search reads it' };

const ofFilter = (wanted: SearchFilter) => (wanted === noFilter ? {} : ofServed);

/** A search sets its own limits for its transaction (sql/search-documents.ts). */
const looking = (call: PlanCase['call'], more: Pick<PlanCase, 'readsAll'> = {}): PlanCase => ({
  home: {
    role: 'millrace_app',
    ofTenant: true,
    isAnyTenants: true,
    settings: { jit: 'off', enable_seqscan: 'off', enable_bitmapscan: 'on' },
  },
  call,
  ...more,
});

const askedBits = { signs: '1010', planes: ['1010', '1010', '1010', '0101'] } as const;
const searching: PlanCase[] = [
  ...filters.flatMap((wanted) => [
    looking((db, w) => findByBits(db, model(w), askedBits, wanted, { met: 40, read: 20 }), ofServed),
    looking((db, w) => findPhrase(db, w.ours, 'term 42', ['word42'], wanted, 20), ofFilter(wanted)),
    looking((db, w) => findLexicalCandidates(db, w.ours, terms, lengths, wanted, 20), ofFilter(wanted)),
    looking((db, w) => countPassing(db, w.ours, wanted), ofServed),
  ]),
  looking((db, w) => readChunkVectors(db, model(w), [chunk(w)])),
  looking((db, w) => scoreChunks(db, w.ours, terms, lengths, { ids: [chunk(w)], numbers: [] })),
  looking((db, w) => readFound(db, w.ours, [chunk(w)])),
  looking((db, w) => keepMatching(db, w.ours, [chunk(w)], { phrases: ['word1'], excluded: [] })),
  looking((db, w) => readActiveModel(db, w.ours)),
  looking((db, w) => readSearchable(db, w.ours), ofServed),
  looking((db) => readLexemes(db, ['word'], ['simple'])),
  looking((db, w) => countTerms(db, w.ours, ['term 42'], 100)),
  looking((db, w) => listTermsFrom(db, w.ours, ['term 4'], 20)),
];

const owner = (w: World) => ({ tenantId: w.ours, actorId: w.id('owner_id', 41) });
const viewers = [true, false].map((seesAll) => (w: World) => ({
  tenantId: w.ours,
  actorId: w.id('asked_by', 41),
  seesAll,
}));
const query = (w: World) => w.id('query_id', 41);

/** Services work on the engine's connections (src/engine/engine-pools.ts). */
const service = (role: string, call: PlanCase['call'], more: Pick<PlanCase, 'readsAll'> = {}): PlanCase => ({
  home: {
    role,
    ofTenant: true,
    isAnyTenants: false,
    settings: { jit: 'off', enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan' },
  },
  call,
  ...more,
});

const asking: PlanCase[] = [
  request((db, w) => readPagesOf(db, w.ours, [{ versionId: many(w), page: 43 }])),
  request((db, w) => countBeingRead(db, w.ours, 20)),
  request((db, w) => listTurns(db, w.ours, conversation(w), 20)),
  request((db, w) => touchConversation(db, w.ours, conversation(w), 'what?')),
  request((db, w) => insertConversation(db, owner(w), uuidv7(), null)),
  request((db, w) => listConversations(db, owner(w), null, 20)),
  request((db, w) => findConversation(db, owner(w), conversation(w))),
  request((db, w) => deleteConversation(db, owner(w), conversation(w))),
  ...viewers.flatMap((viewer) => [
    request((db, w) => listQueries(db, viewer(w), { status: null, rating: null }, null, 20)),
    request((db, w) => findQuery(db, viewer(w), query(w))),
    request((db, w) => rateQuery(db, viewer(w), query(w), 1, null)),
    request((db, w) => listUnanswered(db, viewer(w), 20)),
  ]),
  service('documents_cleanup', (db) => deleteOldQueries(db, new Date('2001-01-01'), 20)),
  service('documents_cleanup', (db, w) => deleteQueries(db, w.ours, [query(w)])),
];

const place = (w: World) => ({ version: few(w), position: 0 });
const passages = (w: World) => [
  {
    position: 0,
    chunkId: chunk(w),
    passageNo: 7,
    hash: Buffer.alloc(4),
    headingPath: [],
    text: 'x',
    isKnown: true,
  },
];
const facts = { modelId: 'other', name: 'n', provider: 'embedded' as const, dims: 1, maxTokens: 1 };
const models = (call: PlanCase['call']) => byStage('documents_models', call);
const waits = (w: World) => ({ now: w.now, firstMs: 1, maxMs: 2 });

/** A retired model with few vectors of its own beside the active one of the same tenant. */
const retired: PlanCase['call'] = async (db, w) => {
  await retireModel(db, w.ours, 'retired');
  await deleteRetiredVectors(db, w.ours, 'retired', 20);
};

const changingModels: PlanCase[] = [
  request((db, w) => listModels(db, w.ours), { readsAll: 'counts the vectors of each model of one tenant' }),
  request((db, w) => countServedPassages(db, w.ours), { readsAll: 'adds up what is served of one tenant' }),
  request((db, w) => findPreviousModel(db, w.ours)),
  api((db, w) => addModel(db, w.ours, facts)),
  api((db, w) => activateModel(db, w.ours, 'ready')),
  api((db, w) => retireModel(db, w.ours, 'ready')),
  models((db, w) => findDueTenant(db, 'model', w.now)),
  models((db) => findRetired(db)),
  worker((db, w) => listLiveModels(db, w.ours)),
  worker((db, w) => beginRound(db, w.ours, 'model')),
  worker((db, w) => listServedVersions(db, w.ours, 'model', { version: BEFORE_ALL, position: 0 }, 1)),
  worker((db, w) => listMissingPassages(db, w.ours, 'other', place(w), 20)),
  worker((db, w) => serveVectors(db, w.ours, 'model', few(w), passages(w))),
  worker((db, w) => moveBuild(db, w.ours, 'model', place(w), place(w), { embedded: 1, reused: 0 })),
  worker((db, w) => endRound(db, w.ours, 'model', place(w))),
  worker((db, w) => noteTrouble(db, w.ours, 'model', 'down', waits(w))),
  worker((db, w) => deleteRetiredVectors(db, w.ours, 'retired', 20)),
  worker(retired),
  request((db, w) => listAskedQuestions(db, w.ours, 20), { readsAll: 'the newest 2,000 questions' }),
  request((db, w) => listProbeChunks(db, w.ours, 20), { readsAll: 'draws from all that is served of one tenant' }),
  request((db, w) => readChunkPlaces(db, w.ours, [chunk(w)])),
];

testPlans({
  folders: ['src/pipelines/documents'],
  cases: [...changing, ...building, ...reading, ...searching, ...changingModels, ...asking],
  seeds,
  exempt: {
    'search-has-index': 'reads the catalogue by names',
    'search-make-index': 'makes an index; reads the catalogue',
    'search-find-by-index-*': 'needs pgvector: search/pgvector.test.ts looks at its plan',
    'search-insert-query': 'inserts one row',
  },
});
