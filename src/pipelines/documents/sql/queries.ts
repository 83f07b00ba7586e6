// The log of what was asked. A question of a conversation is its owner's alone; of the rest admins see all, others their own.
import type { Queryable } from '../../../platform/database.ts';
import { storableJson } from '../../../platform/storable-text.ts';

export interface NewQuery {
  readonly queryId: string;
  readonly tenantId: string;
  readonly askedBy: string;
  readonly askedByName: string;
  readonly conversationId: string | null;
  readonly question: string;
  readonly askedAs: string | null;
  readonly status: 'answered' | 'abstained';
  readonly reason: string | null;
  readonly answer: string | null;
  readonly score: number;
  readonly bar: number;
  readonly result: unknown;
  readonly stages: Readonly<Record<string, number>>;
  readonly candidates: number;
  readonly modelId: string | null;
  readonly llm: string | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costUsd: number | null;
}

export async function insertQuery(db: Queryable, query: NewQuery): Promise<void> {
  await db.query({
    name: 'search-insert-query',
    text: `
      insert into public.queries (query_id, tenant_id, asked_by, asked_by_name, conversation_id, question, asked_as, status, reason, answer,
                                  score, bar, result, stages, candidates, model_id, llm, tokens_in, tokens_out, cost_usd)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
    values: [
      query.queryId,
      query.tenantId,
      query.askedBy,
      query.askedByName,
      query.conversationId,
      query.question,
      query.askedAs,
      query.status,
      query.reason,
      query.answer,
      query.score,
      query.bar,
      storableJson(query.result),
      JSON.stringify(query.stages),
      query.candidates,
      query.modelId,
      query.llm,
      query.tokensIn,
      query.tokensOut,
      query.costUsd,
    ],
  });
}

export interface QueryRow {
  readonly query_id: string;
  readonly asked_by_name: string;
  readonly conversation_id: string | null;
  readonly question: string;
  readonly asked_as: string | null;
  readonly status: 'answered' | 'abstained';
  readonly reason: string | null;
  readonly answer: string | null;
  readonly score: number | null;
  readonly bar: number | null;
  readonly rating: number | null;
  readonly rating_note: string | null;
  readonly model_id: string | null;
  readonly llm: string | null;
  readonly cost_usd: string | null;
  readonly stages: Record<string, number>;
  readonly created_at: Date;
  readonly result?: unknown;
}

const columns = `q.query_id, q.asked_by_name, q.conversation_id, q.question, q.asked_as, q.status, q.reason, q.answer, q.score, q.bar,
  q.rating, q.rating_note, q.model_id, q.llm, q.cost_usd, q.stages, q.created_at`;

/** Who looks. */
export interface Viewer {
  readonly tenantId: string;
  readonly actorId: string;
  readonly seesAll: boolean;
}

/** $1 tenant, $2 actor, $3 whether they see what others asked. */
const visible = `q.tenant_id = $1 and (q.asked_by = $2 or ($3 and q.conversation_id is null))`;
/** Of lists: whoever sees only their own is served by an index over these. */
const listed = (seesAll: boolean) => (seesAll ? visible : `q.tenant_id = $1 and q.asked_by = $2 and not $3::boolean`);

export async function listQueries(
  db: Queryable,
  viewer: Viewer,
  filter: { readonly status: string | null; readonly rating: number | null },
  before: string | null,
  limit: number,
): Promise<QueryRow[]> {
  const { rows } = await db.query<QueryRow>({
    name: viewer.seesAll ? 'search-list-queries' : 'search-list-own-queries',
    text: `
      select ${columns} from public.queries q
      where ${listed(viewer.seesAll)} and ($4::text is null or q.status = $4) and ($5::smallint is null or q.rating = $5)
        and ($6::uuid is null or q.query_id < $6)
      order by q.query_id desc
      limit $7`,
    values: [viewer.tenantId, viewer.actorId, viewer.seesAll, filter.status, filter.rating, before, limit],
  });
  return rows;
}

export async function findQuery(db: Queryable, viewer: Viewer, queryId: string): Promise<QueryRow | undefined> {
  const { rows } = await db.query<QueryRow>({
    name: 'search-find-query',
    text: `select ${columns}, q.result from public.queries q where ${visible} and q.query_id = $4`,
    values: [viewer.tenantId, viewer.actorId, viewer.seesAll, queryId],
  });
  return rows[0];
}

export async function rateQuery(
  db: Queryable,
  viewer: Viewer,
  queryId: string,
  rating: number | null,
  note: string | null,
): Promise<QueryRow | undefined> {
  const { rows } = await db.query<QueryRow>({
    name: 'search-rate-query',
    text: `
      update public.queries q
      set rating = $5, rating_note = $6, rated_at = engine.now()
      where ${visible} and q.query_id = $4
      returning ${columns}`,
    values: [viewer.tenantId, viewer.actorId, viewer.seesAll, queryId, rating, note],
  });
  return rows[0];
}

export interface UnansweredRow {
  readonly question: string;
  readonly times: number;
  readonly rated_down: number;
  readonly reason: string | null;
  readonly last_query_id: string;
  readonly last_asked_at: Date;
}

/** Of the newest thousand of them; the same words in another spelling of spaces and capitals are one question. */
export async function listUnanswered(db: Queryable, viewer: Viewer, limit: number): Promise<UnansweredRow[]> {
  const { rows } = await db.query<UnansweredRow>({
    name: viewer.seesAll ? 'search-list-unanswered' : 'search-list-own-unanswered',
    text: `
      with newest as (
        select q.query_id, q.question, q.status, q.reason, q.rating, q.created_at from public.queries q
        where ${listed(viewer.seesAll)} and (q.status = 'abstained' or q.rating = -1)
        order by q.query_id desc
        limit 1000
      )
      select (array_agg(n.question order by n.query_id desc))[1] as question, count(*) as times,
             count(*) filter (where n.rating = -1) as rated_down, (array_agg(n.reason order by n.query_id desc))[1] as reason,
             (array_agg(n.query_id order by n.query_id desc))[1] as last_query_id, max(n.created_at) as last_asked_at
      from newest n
      group by lower(regexp_replace(btrim(n.question), '\\s+', ' ', 'g'))
      order by count(*) desc, max(n.created_at) desc
      limit $4`,
    values: [viewer.tenantId, viewer.actorId, viewer.seesAll, limit],
  });
  return rows;
}
