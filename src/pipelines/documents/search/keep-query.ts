// The query log and the log line of a question. The line says everything but the question. What is kept is what is given: an answer that quotes a
// document which was purged meanwhile is neither.
import type { Principal } from '../../../access/principal.ts';
import { inTenant } from '../../../access/tenant-session.ts';
import type { AnswerOf } from '../../../contract/api/client.ts';
import type { Pool } from '../../../platform/database.ts';
import type { Log } from '../../../platform/log.ts';
import { touchConversation } from '../sql/conversations.ts';
import { ERASED, holdQuoted, noteQuoted } from '../sql/erase-quotes.ts';
import { insertQuery } from '../sql/queries.ts';
import type { Found } from './search-documents.ts';

export async function keepQuery(
  { pool, log, principal }: { readonly pool: Pool; readonly log: Log; readonly principal: Principal },
  { question, conversationId }: { readonly question: string; readonly conversationId: string | undefined },
  found: Found,
  given: AnswerOf<'search.ask'>,
): Promise<AnswerOf<'search.ask'>> {
  const { tenantId } = principal;
  const quoted = [...new Set([...given.evidence, ...given.citations].map(({ doc_id: docId }) => docId))];
  let answer = given;
  const { candidates } = found.retrieval;
  await inTenant(pool, tenantId, async (db) => {
    const there = await holdQuoted(db, tenantId, quoted);
    answer = quoted.every((docId) => there.has(docId)) ? given : erased(given);
    if (conversationId !== undefined) await touchConversation(db, tenantId, conversationId, question.trim());
    await insertQuery(db, {
      queryId: answer.query_id,
      tenantId,
      askedBy: principal.actorId,
      askedByName: principal.actor,
      conversationId: conversationId ?? null,
      question,
      askedAs: answer.asked_as,
      status: answer.status,
      reason: answer.reason?.code ?? null,
      answer: answer.answer,
      score: answer.confidence.score,
      bar: answer.confidence.bar,
      result: answer,
      stages: answer.why.stages,
      candidates: candidates.lexical + candidates.vector,
      modelId: answer.why.model,
      llm: answer.written_by.model,
      tokensIn: answer.written_by.tokens_in,
      tokensOut: answer.written_by.tokens_out,
      costUsd: answer.written_by.cost_usd,
    });
    if (answer === given) await noteQuoted(db, tenantId, answer.query_id, quoted);
  });
  log.info(
    {
      event: 'query_answered',
      query_id: answer.query_id,
      tenant_id: tenantId,
      user_id: principal.actorId,
      status: answer.status,
      reason_code: answer.reason?.code,
      stages: answer.why.stages,
      counts: { ...candidates, hits: answer.evidence.length, citations: answer.citations.length },
      model: answer.why.model ?? undefined,
      llm: answer.written_by.model ?? undefined,
      tokens_in: answer.written_by.tokens_in ?? undefined,
      tokens_out: answer.written_by.tokens_out ?? undefined,
      cost_usd: answer.written_by.cost_usd ?? undefined,
    },
    'a question was answered',
  );
  return answer;
}

/** A document it quotes was purged while it was made. */
function erased(answer: AnswerOf<'search.ask'>): AnswerOf<'search.ask'> {
  return {
    ...answer,
    ...{ answer: null, sentences: [], citations: [], evidence: [], reason: { ...ERASED } },
    why: { ...answer.why, said: [] },
  };
}
