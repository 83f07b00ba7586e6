// A purge erases what a document said, wherever it stands: content, files of every run, artifacts, and the answers that were kept.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, prose, useDocuments } from '../../../test/support/documents.ts';
import { wordEmbedder } from '../../../test/support/documents-deps.ts';
import { observeAt } from '../../../test/support/observed-documents.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { MillraceError } from '../../contract/errors/millrace-error.ts';
import { withTenant } from '../../platform/database.ts';

const embedder = wordEmbedder();
const bench = useDocuments({ embedder, passagesPerPart: 2 });
const { api } = bench;

const SAID = 'Passwords have at least fourteen characters';
const policy = `# Security policy\n\n## Passwords\n\n${SAID}. They are changed when somebody else may know them.\n`;
const garden =
  '# Garden notes\n\nThe hedge of the garden is cut in October. The gate of the garden has a password of its own.\n';

beforeAll(async () => {
  await bench.ingest(garden, 'garden.md');
  await bench.db.admin.query(`update embedding_models set abstain_below = 0.5`);
});

// biome-ignore lint/suspicious/noExplicitAny: the answer as JSON
type Json = any;
async function ask(question: string, headers: Record<string, string> = {}): Promise<Json> {
  return (await api.call('search.ask', { as: bench.admin, body: { question }, headers })).json();
}
const shown = async (queryId: string): Promise<Json> =>
  (await api.call('queries.show', { as: bench.admin, params: { query_id: queryId } })).json();
const purge = async (docId: string): Promise<Json> =>
  (await api.call('documents.purge', { as: bench.admin, params: { doc_id: docId } })).json();

/** Every table in which the words stand. */
async function tablesWith(words: string): Promise<string[]> {
  const { rows } = await bench.db.admin.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const hits = await bench.db.admin.query(
      `select from ${name} t where t::text ilike $1 or t::text ilike $2 limit 1`,
      [`%${words}%`, `%${Buffer.from(words).toString('hex')}%`],
    );
    if (hits.rowCount !== 0) found.push(name);
  }
  return found;
}

/** Every file of store and artifacts in which the words stand. */
function filesWith(words: string, folder = bench.folder): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) return filesWith(words, file);
    return readFileSync(file).includes(words) ? [file] : [];
  });
}

describe('a purge', () => {
  it('leaves the words of the document in no table and in no file: kept answers and stored answers included', async () => {
    const { docId } = await bench.ingest(policy, 'policy.md', { fields: { title: 'Security policy' } });
    const answer = await ask('How many characters do passwords have at least?', { 'idempotency-key': 'asked-once' });
    expect(answer.answer).toContain(SAID);
    const stored = `operation = 'search.ask' and finished_at is not null`;
    await waitFor(async () => (await bench.count('idempotency_keys', stored)) || undefined, {
      what: 'its stored answer',
    });
    const kept = await tablesWith(SAID);
    expect(kept).toEqual(expect.arrayContaining(['public.chunks', 'public.queries']));
    expect(filesWith(SAID).length).toBeGreaterThan(1);

    expect(await purge(docId)).toMatchObject({ versions: 1, files: 1, answers: 1 });
    expect(await tablesWith(SAID)).toEqual([]);
    expect(await bench.count('idempotency_keys', stored)).toBe(0);
    expect(filesWith(SAID)).toEqual([]);
    const after = await shown(answer.query_id);
    expect(after).toMatchObject({
      question: 'How many characters do passwords have at least?',
      answer: null,
      result: { answer: null, sentences: [], citations: [], evidence: [], reason: { code: 'purged' } },
    });
    const unanswered = await api.call('queries.unanswered', { as: bench.admin, query: {} });
    expect(unanswered.json().data, 'it was answered').toEqual([]);
  });

  it('leaves an answer that only had the document among its evidence, without that evidence', async () => {
    const { docId } = await bench.ingest(`${policy}\nThe hedge of the garden is no password.\n`, 'other-policy.md');
    const answer = await ask('When is the hedge of the garden cut in October?');
    expect(answer.citations.map((each: Json) => each.doc_id)).not.toContain(docId);
    expect(answer.evidence.map((each: Json) => each.doc_id)).toContain(docId);
    expect(await purge(docId)).toMatchObject({ answers: 1 });
    const after = await shown(answer.query_id);
    expect([after.answer, after.result.citations]).toEqual([answer.answer, answer.citations]);
    expect(after.result.evidence).toEqual(answer.evidence.filter((each: Json) => each.doc_id !== docId));
  });

  it('that comes between the search and the answer: nothing of the document is kept or given', async () => {
    const words = 'The vault code of the archive is kept by two archivists';
    const { docId } = await bench.ingest(`# Vault\n\n${words}.\n`, 'vault.md');
    const held = await bench.db.admin.connect();
    try {
      // As a purge that has begun: whoever wants to keep an answer about the document waits for its end.
      await held.query('begin');
      await held.query('select pg_advisory_xact_lock(hashtextextended($1, 540))', [docId]);
      const asking = ask('Who keeps the vault code of the archive?');
      await waitFor(
        async () =>
          (await bench.count('pg_locks', `locktype = 'advisory' and mode = 'ShareLock' and not granted`)) || undefined,
        { what: 'the answer to wait for the purge' },
      );
      await withTenant(bench.db.app, { tenantId: bench.admin.tenantId, role: 'documents_purge' }, async (tx) => {
        await tx.query('delete from document_versions where doc_id = $1', [docId]);
        await tx.query('delete from documents where doc_id = $1', [docId]);
      });
      await held.query('commit');
      expect(await asking).toMatchObject({ answer: null, evidence: [], reason: { code: 'purged' } });
    } finally {
      held.release();
    }
    expect(await tablesWith(words)).toEqual(expect.not.arrayContaining(['public.queries']));
  });

  it('takes the files of failed runs, of an upload and of a source', async () => {
    const uploaded = await bench.ingest('%PDF-1.4\nnever readable', 'broken.pdf');
    expect(uploaded.run.status).toBe('failed');
    expect(filesWith('never readable')).toHaveLength(1);
    expect(await purge(uploaded.docId)).toMatchObject({ versions: 0, files: 1 });
    expect(filesWith('never readable')).toEqual([]);

    const first = await observeAt(bench, 'minutes', 'minutes.pdf', await buildPdf([{ lines: prose(3) }]));
    await bench.ended(first.runId);
    const second = await observeAt(bench, 'minutes', 'minutes.pdf', Buffer.from('%PDF-1.4\nthe second was damaged'));
    expect(second.docId).toBe(first.docId);
    expect(await bench.ended(second.runId)).toMatchObject({ status: 'failed' });
    expect(await purge(first.docId)).toMatchObject({ versions: 1, files: 2 });
    expect(filesWith('the second was damaged')).toEqual([]);
  });

  it('takes a file whose run failed before files were written down for documents', async () => {
    const { docId } = await bench.ingest('%PDF-1.4\nfrom an older installation', 'old.pdf');
    await bench.db.admin.query('delete from document_files where doc_id = $1', [docId]);
    expect(await purge(docId)).toMatchObject({ files: 1 });
    expect(filesWith('from an older installation')).toEqual([]);
  });

  it('takes the vectors that only a failed run had made, and leaves those that another document uses', async () => {
    const text = `# Left\n\n${prose(72, 40).join('\n\n')}\n`;
    const before = await bench.count('vector_ledger');
    const failEarly = async () => {
      const plain = embedder.embed;
      let calls = 0;
      embedder.embed = async (texts) => {
        calls += 1;
        if (calls === 2) throw new MillraceError('embedding_provider_refused', { reason: 'wrong key' });
        return plain(texts);
      };
      const failed = await bench.ingest(text, 'left.md', { fields: { title: 'Left' } });
      embedder.embed = plain;
      expect(failed.run.status).toBe('failed');
      await waitFor(async () => (await bench.count('document_versions', `doc_id = '${failed.docId}'`)) === 0, {
        what: 'its passages to be cleared up',
      });
      return failed.docId;
    };

    const alone = await failEarly();
    expect(await bench.count('vector_ledger')).toBe(before + 2);
    expect(await purge(alone)).toMatchObject({ versions: 0, vectors: 2 });
    expect(await bench.count('vector_ledger')).toBe(before);
    expect(await bench.count('embedded_texts', `doc_id = '${alone}'`)).toBe(0);

    const shared = await failEarly();
    const other = await bench.ingest(`${text}\n`, 'other.md', { fields: { title: 'Left' } });
    expect(other.run.receipt).toMatchObject({ reused: 2 });
    const after = await bench.count('vector_ledger');
    expect(await purge(shared)).toMatchObject({ versions: 0, vectors: 0 });
    expect(await bench.count('vector_ledger')).toBe(after);
  });

  it('takes the vectors that a failed run had only reused, when the document that made them was purged while it worked', async () => {
    const text = `# Shared\n\n${prose(73, 40).join('\n\n')}\n`;
    const before = await bench.count('vector_ledger');
    const first = await bench.ingest(text, 'first.md', { fields: { title: 'Shared' } });
    const made = (await bench.count('vector_ledger')) - before;
    expect(made).toBeGreaterThan(2);
    const plain = embedder.embed;
    let purged: Json;
    embedder.embed = async (texts) => {
      if (texts.length === 0) return plain(texts);
      // All that both say is behind it: what is left is its own.
      purged = await purge(first.docId);
      throw new MillraceError('embedding_provider_refused', { reason: 'wrong key' });
    };
    const own = prose(74, 20).join('\n\n');
    const failed = await bench.ingest(`${text}\n# Own\n\n${own}\n`, 'second.md', { fields: { title: 'Shared' } });
    embedder.embed = plain;
    expect(failed.run.status).toBe('failed');
    await waitFor(async () => (await bench.count('document_versions', `doc_id = '${failed.docId}'`)) === 0, {
      what: 'its passages to be cleared up',
    });
    const left = (await bench.count('vector_ledger')) - before;
    expect([purged.vectors + left, left > 0]).toEqual([made, true]);
    expect(await purge(failed.docId)).toMatchObject({ versions: 0, vectors: left });
    expect(await bench.count('vector_ledger')).toBe(before);
  });
});
