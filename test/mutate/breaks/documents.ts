// Breaks of documents: who may bring a document back, which version is served, what each page ends as, what is embedded, and when a message may go.
import type { Break } from '../break.ts';

const HERE = 'src/pipelines/documents';
const ACCEPT = `${HERE}/accept-document.ts`;
const ACTIVATE = `${HERE}/activate.ts`;
const EMBED = `${HERE}/embed-passages.ts`;
const LISTENER = `${HERE}/delivery/queue-listener.ts`;
const PAYLOAD = `${HERE}/delivery/job-payload.ts`;
const UPRIGHT = `${HERE}/extract/upright-pages.ts`;

const INGEST_TEST = `${HERE}/ingest.db.test.ts`;
const VERSIONS_TEST = `${HERE}/versions.db.test.ts`;
const CONTRACT_TEST = `${HERE}/contract.db.test.ts`;
const SPECIFICATION_TEST = `${HERE}/specification.db.test.ts`;
const PURGE_TEST = `${HERE}/purge.db.test.ts`;
const HTTP_TEST = `${HERE}/delivery/http-delivery.db.test.ts`;
const QUEUE_TEST = `${HERE}/delivery/queue-delivery.db.test.ts`;
const FORMATS_TEST = `${HERE}/formats.db.test.ts`;
const UPRIGHT_TEST = `${HERE}/extract/upright-pages.test.ts`;
const CHUNKS_TEST = `${HERE}/chunking/chunk-pages.test.ts`;

export const documentBreaks: readonly Break[] = [
  {
    id: 'documents.user-revives-deactivated',
    file: ACCEPT,
    find: 'if (!by.isAdmin)',
    replace: 'if (by.name === undefined)',
    tests: [INGEST_TEST],
    title: 'is not revived by a user who uploads it',
  },
  {
    id: 'documents.skip-renames',
    file: ACCEPT,
    find: `renames: request.title !== undefined,`,
    replace: 'renames: true,',
    tests: [VERSIONS_TEST],
    title: 'keeps its title',
  },
  {
    id: 'documents.older-observation-wins',
    file: ACTIVATE,
    find: `deps.activation === 'last-completed' ? takenAwaySeq : newestSeq`,
    replace: 'takenAwaySeq',
    tests: [VERSIONS_TEST],
    title: 'does not take the newer one’s place',
  },
  {
    id: 'documents.old-version-stays-searched',
    file: `${HERE}/sql/versions.ts`,
    find: 'for (const { doc_version_id: old } of rows) await unserveVersion(tx, tenantId, old);',
    replace: 'void rows;',
    tests: [SPECIFICATION_TEST],
    title: 'is one moment for everybody else',
  },
  {
    id: 'documents.superseded-forgets-its-deletion',
    file: `${HERE}/sql/versions.ts`,
    find: 'newestSeq: Math.max(servedSeq, takenAwaySeq)',
    replace: 'newestSeq: servedSeq',
    tests: [VERSIONS_TEST],
    title: 'does not revive it',
  },
  {
    id: 'documents.embeds-again-what-it-knows',
    file: EMBED,
    find: `const unknown = passages.filter(({ hash }) => !known.has(hash.toString('hex')));`,
    replace: 'void known;\n  const unknown = passages;',
    tests: [VERSIONS_TEST, INGEST_TEST],
  },
  {
    id: 'documents.purge-forgets-reused-vectors',
    file: EMBED,
    find: `          passages.map(({ hash }) => hash),
        );`,
    replace: `          made.map(({ hash }) => hash),
        );`,
    tests: [PURGE_TEST],
    title: 'had only reused',
  },
  {
    id: 'documents.purge-keeps-quotes',
    file: `${HERE}/sql/change-documents.ts`,
    find: 'const answers = await eraseQuotes(tx, tenantId, docId);',
    replace: 'const answers = 0;',
    tests: [PURGE_TEST],
    title: 'in no table and in no file',
  },
  {
    id: 'documents.search-trusts-its-tables',
    file: `${HERE}/sql/read-found.ts`,
    find: 'where x.tenant_id = $1 and x.doc_version_id = c.doc_version_id and x.is_active = true',
    replace: 'where x.tenant_id = $1 and x.doc_version_id = c.doc_version_id',
    tests: [CONTRACT_TEST],
    title: 'asks whether a version is active',
  },
  {
    id: 'documents.message-gone-before-the-end',
    file: LISTENER,
    find: 'if (run === undefined || run.finished_at !== null) {',
    replace: `if (run === undefined || run.phase === 'active' || run.finished_at !== null) {`,
    tests: [QUEUE_TEST],
  },
  {
    id: 'documents.message-of-an-unknown-end-is-deleted',
    file: LISTENER,
    find: 'if (engine.isAtWork(message.runId)) return keepHidden(deps, message);',
    replace: 'return queue.acknowledge(message.receipt);',
    tests: [QUEUE_TEST],
    title: 'is not acknowledged while the database is away',
  },
  {
    id: 'documents.receives-without-a-slot',
    file: LISTENER,
    find: 'if (engine.freeSlots() <= 0 || held.size >= MOST_HELD) {',
    replace: 'if (held.size >= MOST_HELD) {',
    tests: [QUEUE_TEST],
    title: 'is not received while every slot is taken',
  },
  {
    id: 'documents.payload-may-differ',
    file: PAYLOAD,
    find: 'if (other.length > 0) throw refused',
    replace: 'if (other.length > 3) throw refused',
    tests: [HTTP_TEST],
    title: 'refuses a payload that differs from the ledger',
  },
  {
    id: 'documents.file-outside-the-store',
    file: PAYLOAD,
    find: 'if (deps.store.keyOf(payload.upload_uri) === undefined) throw',
    replace: `if (payload.upload_uri === '') throw`,
    tests: [HTTP_TEST],
    title: 'leads out of the store',
  },
  {
    id: 'documents.anybody-may-process',
    file: `${HERE}/delivery/process-endpoint.ts`,
    find: 'if (!hasBearer(request.headers.authorization, deps.token))',
    replace: 'if (request.headers.authorization === undefined)',
    tests: [HTTP_TEST],
    title: 'asks for the token',
  },
  {
    id: 'documents.busy-worker-accepts',
    file: `${HERE}/delivery/process-endpoint.ts`,
    find: `if (fate === 'busy') return send(response, 503, { error: 'worker busy' });`,
    replace: `if (fate === 'busy') deps.log.info('no slot');`,
    tests: [HTTP_TEST],
    title: 'worker busy, all slots occupied',
  },
  {
    id: 'documents.garbled-text-is-text',
    file: `${HERE}/extract/read-pdf.ts`,
    find: `const isGarbled = own.text !== '' && isUnreadable(page);`,
    replace: `const isGarbled = own.text === '\\0' && isUnreadable(page);`,
    tests: [FORMATS_TEST, `${HERE}/keeping.db.test.ts`],
  },
  {
    id: 'documents.rejected-page-is-nothing',
    file: `${HERE}/extract-pages.ts`,
    find: 'for (const { fate } of pages) next[fate] += 1;',
    replace: `for (const { fate } of pages) if (fate !== 'rejected') next[fate] += 1;`,
    tests: [FORMATS_TEST, `${HERE}/keeping.db.test.ts`, INGEST_TEST],
  },
  {
    id: 'documents.upside-down-stays',
    file: UPRIGHT,
    find: `return turns.find((turn) => letters[turn] > all * MOST) ?? 0;`,
    replace: `return turns.find((turn) => turn !== 180 && letters[turn] > all * MOST) ?? 0;`,
    tests: [UPRIGHT_TEST],
    title: 'shown turned by 180 degrees',
  },
  {
    id: 'documents.turned-boxes-elsewhere',
    file: UPRIGHT,
    find: 'return { x: round(width - y - h), y: x, w: h, h: w };',
    replace: 'return { x, y, w, h };',
    tests: [UPRIGHT_TEST],
    title: 'shown turned by 90 degrees',
  },
  {
    id: 'documents.chunk-hides-its-last-page',
    file: `${HERE}/chunking/chunk-pages.ts`,
    find: 'pageTo: parts.at(-1)?.pageNo ?? 1,',
    replace: 'pageTo: parts[0]?.pageNo ?? 1,',
    tests: [CHUNKS_TEST],
  },
  {
    id: 'documents.kept-after-success',
    file: ACTIVATE,
    find: `const isKept = deps.keepRaw === 'keep' && end !== 'unchanged';`,
    replace: `const isKept = end !== 'unchanged';`,
    tests: [`${HERE}/keeping.db.test.ts`],
    title: 'takes the file once its version is served',
  },
  {
    id: 'documents.failure-leaves-its-version',
    file: `${HERE}/failures.ts`,
    find: 'await keepSession(tx, () => removeContent(deps, run));',
    replace: 'void keepSession;\n  void removeContent;',
    tests: [`${HERE}/failures.db.test.ts`],
  },
  {
    id: 'documents.verify-forgets-chunks',
    file: `${HERE}/recount.ts`,
    find: '...{ chunks_created: chunks, tokens_total: tokens, passages },',
    replace: 'passages,',
    tests: [INGEST_TEST],
    title: 'is verified in every figure',
  },
  {
    id: 'documents.any-number-of-pages',
    file: `${HERE}/extract/read-pdf.ts`,
    find: 'if (pages * LEAST_BYTES_PER_PAGE > size)',
    replace: 'if (pages < LEAST_BYTES_PER_PAGE * 0 * size)',
    tests: [`${HERE}/bad-input.db.test.ts`],
    title: 'is damaged, and says so at once',
  },
  {
    id: 'documents.turned-word-is-no-page',
    file: `${HERE}/extract/read-by-ocr.ts`,
    find: 'if (page.textItems.length === 0) return [180, 90, 270];',
    replace: 'if (page.textItems.length === 0) return [];',
    tests: [UPRIGHT_TEST],
    title: 'is no empty page',
  },
  {
    id: 'documents.busy-machine-ends-the-reader',
    file: `${HERE}/extract/answer-clock.ts`,
    find: 'if (this.#waits < MOST_WAITS && this.#isStarved(before)) this.#wait();',
    replace: 'if (this.#waits < 0 && this.#isStarved(before)) this.#wait();',
    tests: [`${HERE}/extract/answer-clock.test.ts`],
    title: 'is waited for',
  },
  {
    id: 'documents.made-good-is-still-failed',
    file: `${HERE}/sql/read-documents.ts`,
    find: `where r.tenant_id = $1 and r.pipeline = 'documents' and r.doc_id = $2::text`,
    replace: `where r.tenant_id = $1 and r.phase = 'failed' and r.doc_id = $2::text`,
    tests: [VERSIONS_TEST],
    title: 'says why its newest run failed',
  },
];
