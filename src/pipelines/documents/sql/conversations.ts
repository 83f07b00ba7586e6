// Threads of questions, each seen by its owner alone.
import type { Queryable } from '../../../platform/database.ts';
import type { QueryRow } from './queries.ts';

export interface Owner {
  readonly tenantId: string;
  readonly actorId: string;
}

export interface ConversationRow {
  readonly conversation_id: string;
  readonly title: string;
  readonly turns: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const UNNAMED = 'New conversation';
const columns = `c.conversation_id, c.title, c.created_at, c.updated_at,
  (select count(*) from public.queries q where q.tenant_id = c.tenant_id and q.conversation_id = c.conversation_id) as turns`;

export async function insertConversation(
  db: Queryable,
  owner: Owner,
  conversationId: string,
  title: string | null,
): Promise<ConversationRow> {
  const { rows } = await db.query<ConversationRow>({
    name: 'search-insert-conversation',
    text: `
      insert into public.conversations as c (conversation_id, tenant_id, owner_id, title) values ($1, $2, $3, $4)
      returning ${columns}`,
    values: [conversationId, owner.tenantId, owner.actorId, title ?? UNNAMED],
  });
  return rows[0] as ConversationRow;
}

export async function listConversations(
  db: Queryable,
  owner: Owner,
  before: string | null,
  limit: number,
): Promise<ConversationRow[]> {
  const { rows } = await db.query<ConversationRow>({
    name: 'search-list-conversations',
    text: `
      select ${columns} from public.conversations c
      where c.tenant_id = $1 and c.owner_id = $2 and ($3::uuid is null or c.conversation_id < $3)
      order by c.conversation_id desc
      limit $4`,
    values: [owner.tenantId, owner.actorId, before, limit],
  });
  return rows;
}

export async function findConversation(
  db: Queryable,
  owner: Owner,
  conversationId: string,
): Promise<ConversationRow | undefined> {
  const { rows } = await db.query<ConversationRow>({
    name: 'search-find-conversation',
    text: `select ${columns} from public.conversations c where c.tenant_id = $1 and c.owner_id = $2 and c.conversation_id = $3`,
    values: [owner.tenantId, owner.actorId, conversationId],
  });
  return rows[0];
}

/** The newest `limit` of them, in the order they were asked. */
export async function listTurns(
  db: Queryable,
  tenantId: string,
  conversationId: string,
  limit: number,
): Promise<QueryRow[]> {
  const { rows } = await db.query<QueryRow>({
    name: 'search-list-turns',
    text: `
      select q.query_id, q.asked_by_name, q.conversation_id, q.question, q.asked_as, q.status, q.reason, q.answer, q.score, q.bar, q.rating,
             q.rating_note, q.model_id, q.llm, q.cost_usd, q.stages, q.created_at, q.result
      from public.queries q
      where q.tenant_id = $1 and q.conversation_id = $2
      order by q.query_id desc
      limit $3`,
    values: [tenantId, conversationId, limit],
  });
  return rows.reverse();
}

/** An unnamed one takes the words of its first question. */
export async function touchConversation(
  db: Queryable,
  tenantId: string,
  conversationId: string,
  question: string,
): Promise<void> {
  await db.query({
    name: 'search-touch-conversation',
    text: `
      update public.conversations c
      set updated_at = engine.now(), title = case when c.title = '${UNNAMED}' then $3 else c.title end
      where c.tenant_id = $1 and c.conversation_id = $2`,
    values: [tenantId, conversationId, question.slice(0, 200)],
  });
}

export async function deleteConversation(db: Queryable, owner: Owner, conversationId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'search-delete-conversation',
    text: `delete from public.conversations c where c.tenant_id = $1 and c.owner_id = $2 and c.conversation_id = $3`,
    values: [owner.tenantId, owner.actorId, conversationId],
  });
  return rowCount === 1;
}
