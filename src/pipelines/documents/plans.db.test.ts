// Statements of documents: what each reads grows no faster than its input. How it is measured: test/plans/plans.ts.
import { byStage, type PlanCase, byRequest as request } from '../../../test/plans/plan-case.ts';
import { testPlans } from '../../../test/plans/plans.ts';
import { idOf, type Seed, type World } from '../../../test/plans/world.ts';
import { uuidv7 } from '../../platform/ids.ts';
import {
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
import { listTurns, touchConversation } from './sql/conversations.ts';
import {
  addDeliveries,
  DELIVERY_ROLE,
  endDelivery,
  listOldDeliveries,
  postponeDelivery,
  readDeliverySigns,
  takeDeliveries,
} from './sql/deliveries.ts';
import { expireBlobs } from './sql/expire-blobs.ts';
import { findByBits, readChunkVectors, readVectors } from './sql/find-by-bits.ts';
import { findPhrase } from './sql/find-phrase.ts';
import { deleteHalfBuilt, listHalfBuilt } from './sql/half-built.ts';
import { keepBlobUntil } from './sql/keep-blob.ts';
import { countFates, insertPages, listPages, selectPages } from './sql/pages.ts';
import { findLexicalCandidates, scoreChunks } from './sql/rank-lexical.ts';
import {
  compareVersions,
  countDocuments,
  findByUri,
  findDocument,
  findLiveRun,
  findVersionOfRun,
  listChanges,
  listChunks,
  listDocuments,
  listOrphans,
  listVersions,
} from './sql/read-documents.ts';
import { keepMatching, readActiveModel, readFound } from './sql/read-found.ts';
import { readPagesOf } from './sql/read-pages-of.ts';
import { countTerms, listConfigs, listTermsFrom, readLexemes, readSearched } from './sql/read-searched.ts';
import { noFilter } from './sql/search-filter.ts';
import { insertTerms } from './sql/terms.ts';
import { insertVectors, knownHashes, recordModel } from './sql/vectors.ts';
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
  { table: 'public.chunk_embeddings', columns: { ...ofVersion, model_id: `'model'`, passage_no: '0' } },
  { table: 'public.chunk_terms', columns: { ...ofVersion, term: `'term ' || i` } },
  { table: 'public.vector_ledger', columns: { model_id: `'model'` } },
  { table: 'public.document_tombstones', columns: { source_uri: `'file:' || i`, kind: `'deactivated'` } },
  {
    table: 'public.embedding_models',
    columns: { tenant_id: idOf('tenant_id', 'i'), model_id: `'model'`, state: `'active'`, provider: `'embedded'` },
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
  purge((db, w) => expireBlobs(db, [w.id('blob_id', 41)])),
  delivery((db, w) => addDeliveries(db, [{ runId: w.run('documents', 'small'), tenantId: w.ours }])),
  delivery((db) => takeDeliveries(db, 20, 1_000)),
  delivery((db, w) => endDelivery(db, w.id('run_id', 50))),
  delivery((db, w) => postponeDelivery(db, { run_id: w.id('run_id', 50), tenant_id: w.ours, tries: 1 }, 10, null)),
  delivery((db) => listOldDeliveries(db, 3_600, 20)),
  delivery((db) => readDeliverySigns(db, 100)),
  byStage('documents_cleanup', (db) => listHalfBuilt(db, 1, 20)),
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
  request((db, w) => listChunks(db, { tenantId: w.ours, versionId: many(w), page: null }, 42, 20)),
  request((db, w) => listPages(db, { tenantId: w.ours, versionId: many(w) }, { fates: null, after: 41, limit: 20 })),
  request((db, w) => countFates(db, w.ours, few(w))),
  request((db, w) => countFates(db, w.ours, many(w)), whole),
];

const conversation = (w: World) => w.id('conversation_id', 41);
const model = (w: World) => ({ tenantId: w.ours, modelId: 'model' });
const terms = [{ term: 'term 42', idf: 1 }];
const lengths = { average: 10, k1: 1, b: 1, headWeight: 1 };
const filters = [noFilter, { ...noFilter, tags: ['a'] }];
const ofServed = { readsAll: 'all that is served of one tenant: a search reads it' };

const searching: PlanCase[] = [
  request((db, w) => listTurns(db, w.ours, conversation(w), 20)),
  request((db, w) => touchConversation(db, w.ours, conversation(w), 'what?')),
  ...filters.flatMap((wanted) => [
    request((db, w) => findByBits(db, model(w), '1010', wanted, 20), ofServed),
    request((db, w) => findPhrase(db, w.ours, 'term 42', ['word42'], wanted, 20)),
    request((db, w) => findLexicalCandidates(db, w.ours, terms, lengths, wanted, 20)),
  ]),
  request((db, w) => readVectors(db, model(w), [{ chunk_id: chunk(w), passage_no: 0 }])),
  request((db, w) => readChunkVectors(db, model(w), [chunk(w)])),
  request((db, w) => scoreChunks(db, w.ours, terms, lengths, { ids: [chunk(w)], numbers: [] })),
  request((db, w) => readFound(db, w.ours, [chunk(w)])),
  request((db, w) => keepMatching(db, w.ours, [chunk(w)], { phrases: ['word1'], excluded: [] })),
  request((db, w) => readActiveModel(db, w.ours)),
  request((db, w) => readPagesOf(db, w.ours, [{ versionId: many(w), page: 43 }])),
  request((db, w) => readSearched(db, w.ours), ofServed),
  request((db, w) => listConfigs(db, w.ours), ofServed),
  request((db) => readLexemes(db, ['word'], ['simple'])),
  request((db, w) => countTerms(db, w.ours, ['term 42'], 100)),
  request((db, w) => listTermsFrom(db, w.ours, 'term 4', 20)),
];

testPlans({
  folders: ['src/pipelines/documents'],
  cases: [...changing, ...building, ...reading, ...searching],
  seeds,
  exempt: {
    'documents-activate-model': 'no case yet',
    'documents-add-model': 'no case yet',
    'documents-begin-round': 'no case yet',
    'documents-count-served-passages': 'no case yet',
    'documents-deactivate-model': 'no case yet',
    'documents-delete-retired-ledger': 'no case yet',
    'documents-delete-retired-vectors': 'no case yet',
    'documents-end-round': 'no case yet',
    'documents-find-due-tenant': 'no case yet',
    'documents-find-previous-model': 'no case yet',
    'documents-find-retired': 'no case yet',
    'documents-hold-retired': 'no case yet',
    'documents-is-model-ready': 'no case yet',
    'documents-is-served': 'no case yet',
    'documents-list-asked-questions': 'no case yet',
    'documents-list-live-models': 'no case yet',
    'documents-list-missing-passages': 'no case yet',
    'documents-list-models': 'no case yet',
    'documents-list-probe-chunks': 'no case yet',
    'documents-list-served-versions': 'no case yet',
    'documents-move-build': 'no case yet',
    'documents-note-build-trouble': 'no case yet',
    'documents-note-retired': 'no case yet',
    'documents-read-chunk-places': 'no case yet',
    'documents-retire-model': 'no case yet',
    'documents-serve-vectors': 'no case yet',
    'search-insert-query': 'inserts one row',
    'search-delete-old-queries': 'no case yet',
    'search-insert-conversation': 'no case yet',
    'search-list-conversations': 'no case yet',
    'search-find-conversation': 'no case yet',
    'search-delete-conversation': 'no case yet',
    'search-list-queries': 'no case yet',
    'search-find-query': 'no case yet',
    'search-rate-query': 'no case yet',
    'search-list-unanswered': 'no case yet',
  },
  open: {
    'documents-deactivate-others': '10,617, statistics taken when almost empty',
    'documents-delete-chunks': '3,125, statistics taken when almost empty',
    'documents-delete-half-built': '9,184, statistics taken when almost empty, planned for any values',
    'documents-delete-version-of-run': '9,004, statistics taken when almost empty, planned for any values',
    'documents-fill-search-tables': '60,705, statistics none',
    'documents-finish-version': '3,130, statistics taken when almost empty',
    'documents-keep-blob': '4,509, statistics fresh',
    'documents-list-changes': '251,888, statistics fresh, planned for any values',
    'documents-list-half-built': '414, statistics none',
    'documents-purge-count': '6,181, statistics taken when almost empty',
    'documents-purge-vectors': '3,429, statistics taken when almost empty',
    'documents-purge-versions': '9,127, statistics taken when almost empty',
    'documents-unserve-terms': '4,843, statistics taken when almost empty',
    'documents-unserve-vectors': '4,843, statistics taken when almost empty',
    'search-find-phrase': '2,967, statistics fresh',
    'search-find-phrase-filtered': '3,608, statistics none',
    'search-keep-matching': '3,014, statistics taken when almost empty, planned for any values',
    'search-lexical-candidates-filtered': '3,605, statistics none',
    'search-read-chunk-vectors': '6,788, statistics none, planned for any values',
    'search-read-found': '12,021, statistics taken when almost empty, planned for any values',
    'search-read-vectors': '4,450, statistics none, planned for any values',
    'search-score-chunks': '3,034, statistics taken when almost empty, planned for any values',
  },
});
