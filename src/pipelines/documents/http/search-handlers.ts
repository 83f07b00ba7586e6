// Search and ask over HTTP.
import { MillraceError } from '../../../contract/errors/millrace-error.ts';
import { type Handlers, handle } from '../../../http/call.ts';
import { look } from '../../../http/routes/change.ts';
import { uuidv7 } from '../../../platform/ids.ts';
import { askQuestion } from '../search/ask-question.ts';
import { sayBeingRead } from '../search/say-being-read.ts';
import type { SearchDeps } from '../search/search-deps.ts';
import { searchDocuments } from '../search/search-documents.ts';
import { findConversation } from '../sql/conversations.ts';
import type { SearchFilter } from '../sql/search-filter.ts';
import { streamAnswer } from './stream-answer.ts';

interface GivenFilters {
  readonly source_id?: string | undefined;
  readonly type?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly doc_id?: readonly string[] | undefined;
}

export function searchHandlers(deps: SearchDeps): Handlers {
  return {
    ...handle('search.run', async (call) => {
      const { app, principal, body, trail } = call;
      // A look, though its words are too long for an address: the log has its line, the audit log has none.
      trail.changedNothing();
      const queryId = uuidv7();
      const { hits, why, retrieval } = await searchDocuments(app.pool, deps, {
        tenantId: principal.tenantId,
        query: body.query,
        filter: filterOf(body.filters),
        mode: body.mode,
        limit: body.limit,
        group: body.group,
      });
      app.log.info(
        {
          event: 'search_answered',
          query_id: queryId,
          tenant_id: principal.tenantId,
          user_id: principal.actorId,
          mode: why.mode,
          stages: why.stages,
          counts: { ...retrieval.candidates, hits: hits.length },
          model: why.model ?? undefined,
        },
        'a search was answered',
      );
      const beingRead = hits.length > 0 ? [] : await sayBeingRead(app.pool, principal.tenantId);
      return { query_id: queryId, hits, why: { ...why, said: [...why.said, ...beingRead] } };
    }),

    ...handle('search.ask', async (call) => {
      const { app, principal, body, trail } = call;
      trail.changedNothing();
      const { conversation_id: conversationId } = body;
      if (conversationId !== undefined) {
        const owner = { tenantId: principal.tenantId, actorId: principal.actorId };
        if ((await look(call, (db) => findConversation(db, owner, conversationId))) === undefined)
          throw new MillraceError('conversation_not_found', { conversation: conversationId });
      }
      const asking = { pool: app.pool, log: app.log, principal, deps };
      const question = {
        question: body.question,
        conversationId,
        filter: filterOf(body.filters),
        limit: body.limit,
      };
      const wantsStream = body.stream || call.request.headers.accept?.includes('text/event-stream') === true;
      if (!wantsStream) return askQuestion(asking, question);
      if (call.idempotencyKey !== undefined) throw new MillraceError('stream_with_key');
      // The answer has gone out as events; what is returned here is not sent.
      return (await streamAnswer(call, (listener) => askQuestion(asking, question, listener))) as never;
    }),
  };
}

function filterOf(given: GivenFilters | undefined): SearchFilter {
  const some = <T>(values: readonly T[] | undefined) => (values === undefined || values.length === 0 ? null : values);
  return {
    sourceId: given?.source_id ?? null,
    types: some(given?.type),
    from: given?.from ?? null,
    to: given?.to ?? null,
    tags: some(given?.tag),
    docIds: some(given?.doc_id),
  };
}
