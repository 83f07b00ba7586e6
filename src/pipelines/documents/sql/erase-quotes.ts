// Questions that were kept, and the documents their answers quote. A purge takes the quotes out; the question is its asker's and stays.
import type { Queryable } from '../../../platform/database.ts';

/**
 * Which of these documents are there, held until the end of the transaction: a purge waits for it, and whoever comes after the purge finds that the
 * document is gone. As millrace_app.
 */
export async function holdQuoted(db: Queryable, tenantId: string, docIds: readonly string[]): Promise<Set<string>> {
  if (docIds.length === 0) return new Set();
  await db.query({
    name: 'documents-hold-quoted',
    text: `
      select pg_advisory_xact_lock_shared(hashtextextended(q.doc_id, 540))
      from (select unnest($1::text[]) as doc_id order by 1) q`,
    values: [docIds],
  });
  const { rows } = await db.query<{ doc_id: string }>({
    name: 'documents-list-quoted',
    text: `
      select d.doc_id from unnest($2::uuid[]) q (doc_id)
      cross join lateral (select x.doc_id from public.documents x where x.tenant_id = $1 and x.doc_id = q.doc_id limit 1) d`,
    values: [tenantId, docIds],
  });
  return new Set(rows.map(({ doc_id }) => doc_id));
}

export async function noteQuoted(
  db: Queryable,
  tenantId: string,
  queryId: string,
  docIds: readonly string[],
): Promise<void> {
  if (docIds.length === 0) return;
  await db.query({
    name: 'documents-note-quoted',
    text: `
      insert into public.query_documents (tenant_id, doc_id, query_id)
      select $1, q.doc_id, $2 from unnest($3::uuid[]) q (doc_id)
      on conflict do nothing`,
    values: [tenantId, queryId, docIds],
  });
}

export const ERASED = {
  code: 'purged',
  text: 'The answer quoted a document that was purged, and was erased with it.',
} as const;

/**
 * Takes the document out of the answers that were kept; how many. An answer that cites it, or that a model wrote with it before its eyes, goes as a
 * whole; from the others its evidence goes. As documents_purge.
 */
export async function eraseQuotes(tx: Queryable, tenantId: string, docId: string): Promise<number> {
  await tx.query({
    name: 'documents-lock-quotes',
    text: `select pg_advisory_xact_lock(hashtextextended($1, 540))`,
    values: [docId],
  });
  const { rowCount } = await tx.query({
    name: 'documents-erase-quotes',
    text: `
      update public.queries q
      set answer = case when s.is_quoted then null else q.answer end,
          reason = case when s.is_quoted then $3 else q.reason end,
          result = case
            when s.is_quoted then q.result || jsonb_build_object(
              'answer', null, 'sentences', '[]'::jsonb, 'citations', '[]'::jsonb, 'evidence', '[]'::jsonb,
              'reason', jsonb_build_object('code', $3::text, 'text', $4::text),
              'why', coalesce(q.result -> 'why', '{}') || '{"said": []}')
            else q.result || jsonb_build_object('evidence', coalesce(
              (select jsonb_agg(e.hit order by e.place)
               from jsonb_array_elements(q.result -> 'evidence') with ordinality as e (hit, place)
               where e.hit ->> 'doc_id' <> $2::text), '[]'))
          end
      from (
        select x.query_id,
               x.llm is not null or x.result -> 'citations' @> jsonb_build_array(jsonb_build_object('doc_id', $2::text)) as is_quoted
        from public.query_documents d
        cross join lateral (
          select y.query_id, y.llm, y.result from public.queries y where y.tenant_id = $1 and y.query_id = d.query_id limit 1
        ) x
        where d.tenant_id = $1 and d.doc_id = $2::uuid
        offset 0
      ) s
      where q.tenant_id = $1 and q.query_id = s.query_id`,
    values: [tenantId, docId, ERASED.code, ERASED.text],
  });
  await tx.query({
    name: 'documents-forget-quoted',
    text: `delete from public.query_documents d where d.tenant_id = $1 and d.doc_id = $2`,
    values: [tenantId, docId],
  });
  return rowCount ?? 0;
}
