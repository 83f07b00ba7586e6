// The log of questions, ratings, and conversations.

import type { Principal } from '../../../access/principal.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { pageOf, readCursor, shapes, writeCursor } from '../../../http/cursor.ts';
import { change, look } from '../../../http/routes/change.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import {
  type ConversationRow,
  deleteConversation,
  findConversation,
  insertConversation,
  listConversations,
  listTurns,
} from '../sql/conversations.ts';
import { findQuery, listQueries, listUnanswered, type QueryRow, rateQuery, type Viewer } from '../sql/queries.ts';

type Logged = AnswerOf<'queries.feedback'>;
type Answer = AnswerOf<'search.ask'>;

const ratings = { up: 1, down: -1, none: null } as const;
/** The turns that are shown of a thread. */
const TURNS = 200;

export const queryHandlers: Handlers = {
  ...handle('queries.list', async (call) => {
    const { after, limit, status, rating } = call.query;
    const cursor = readCursor(after, shapes.uuid);
    const filter = { status: status ?? null, rating: rating === undefined ? null : ratings[rating] };
    const rows = await look(call, (db) =>
      listQueries(db, viewerOf(call.principal), filter, cursor?.[0] ?? null, limit + 1),
    );
    const { data, next } = pageOf(rows, limit, (row) => writeCursor(row.query_id));
    return { data: data.map(viewQuery), next };
  }),

  ...handle('queries.unanswered', async (call) => {
    const rows = await look(call, (db) => listUnanswered(db, viewerOf(call.principal), call.query.limit));
    return { data: rows.map((row) => ({ ...row, last_asked_at: row.last_asked_at.toISOString() })) };
  }),

  ...handle('queries.show', async (call) => {
    const { query_id: queryId } = call.params;
    const row = await look(call, (db) => findQuery(db, viewerOf(call.principal), queryId));
    if (row === undefined) throw new MillraceError('query_not_found', { query: queryId });
    return { ...viewQuery(row), result: row.result as Answer };
  }),

  ...handle('queries.feedback', async (call) => {
    const { query_id: queryId } = call.params;
    const { rating, note } = call.body;
    const row = await change(
      call,
      async (db) => {
        const rated = await rateQuery(db, viewerOf(call.principal), queryId, ratings[rating], note ?? null);
        if (rated === undefined) throw new MillraceError('query_not_found', { query: queryId });
        return rated;
      },
      () => ({ target: queryId, data: { rating } }),
    );
    return viewQuery(row);
  }),

  ...handle('conversations.list', async (call) => {
    const { after, limit } = call.query;
    const cursor = readCursor(after, shapes.uuid);
    const rows = await look(call, (db) =>
      listConversations(db, ownerOf(call.principal), cursor?.[0] ?? null, limit + 1),
    );
    const { data, next } = pageOf(rows, limit, (row) => writeCursor(row.conversation_id));
    return { data: data.map(viewConversation), next };
  }),

  ...handle('conversations.create', async (call) => {
    const conversationId = uuidv7();
    const title = call.body?.title?.trim();
    const row = await change(
      call,
      (db) => insertConversation(db, ownerOf(call.principal), conversationId, title ? title : null),
      () => ({ target: conversationId }),
    );
    return viewConversation(row);
  }),

  ...handle('conversations.show', async (call) => {
    const { conversation_id: conversationId } = call.params;
    return look(call, async (db, tenantId) => {
      const row = await findConversation(db, ownerOf(call.principal), conversationId);
      if (row === undefined) throw new MillraceError('conversation_not_found', { conversation: conversationId });
      const turns = await listTurns(db, tenantId, conversationId, TURNS);
      return {
        ...viewConversation(row),
        questions: turns.map((turn) => ({ ...viewQuery(turn), result: turn.result as Answer })),
      };
    });
  }),

  ...handle('conversations.remove', async (call) => {
    const { conversation_id: conversationId } = call.params;
    await change(
      call,
      async (db) => {
        if (!(await deleteConversation(db, ownerOf(call.principal), conversationId)))
          throw new MillraceError('conversation_not_found', { conversation: conversationId });
      },
      () => ({ target: conversationId }),
    );
    return undefined;
  }),
};

function viewerOf({ tenantId, actorId, role }: Principal): Viewer {
  return { tenantId, actorId, seesAll: role === 'admin' };
}

function ownerOf({ tenantId, actorId }: Principal) {
  return { tenantId, actorId };
}

function viewQuery(row: QueryRow): Logged {
  return {
    query_id: row.query_id,
    asked_by: row.asked_by_name,
    conversation_id: row.conversation_id,
    question: row.question,
    status: row.status,
    reason: row.reason,
    answer: row.answer,
    score: row.score,
    bar: row.bar,
    rating: row.rating === null ? null : row.rating > 0 ? 'up' : 'down',
    rating_note: row.rating_note,
    model: row.model_id,
    llm: row.llm,
    cost_usd: row.cost_usd === null ? null : Number(row.cost_usd),
    milliseconds: row.stages.total ?? 0,
    created_at: row.created_at.toISOString(),
  };
}

function viewConversation(row: ConversationRow): AnswerOf<'conversations.create'> {
  return {
    conversation_id: row.conversation_id,
    title: row.title,
    turns: row.turns,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
